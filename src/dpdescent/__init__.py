"""dpdescent: the reproducible account of differentially private gradient descent."""
