"""Slow, obvious twins for Noisy-FTRL: its coefficients, and its second moments with every past noise as a state."""

import itertools

import numpy as np


def nu_decoder(nu: float, taps: int) -> np.ndarray:
    """beta of choquettechoo2023 eq. 7, `(-1)^t binom(1/2, t) (1-nu)^t`."""
    t = np.arange(1, taps)
    return np.concatenate([[1.0], np.cumprod((1.0 - nu) * (t - 1.5) / t)])


def nu_encoder(nu: float, taps: int) -> np.ndarray:
    """First column of the inverse of their Toeplitz matrix, `(-1)^t binom(-1/2, t) (1-nu)^t`."""
    t = np.arange(1, taps)
    return np.concatenate([[1.0], np.cumprod((1.0 - nu) * (t - 0.5) / t)])


def step_by_step(
    lam: np.ndarray, eta: float, beta: np.ndarray, sigma_squared: float, sigma_sgd: float, start: np.ndarray, steps: int
) -> np.ndarray:
    """Eq. 83 in the eigenbasis: r_j and q_j are sums of (1 - eta lam_j)^|t-s| over the coefficients so far."""
    rates = eta * lam
    r, q, s = np.zeros(len(lam)), np.zeros(len(lam)), start**2
    errors = [0.5 * lam @ s]
    for t in range(steps):
        b = beta[t] if t < len(beta) else 0.0
        q = q + b**2 + 2.0 * b * r
        r = (1.0 - rates) * (r + b)
        fourth = 2.0 * rates**2 * s + eta**2 * lam * (lam @ s)
        s = (1.0 - 2.0 * rates) * s + fourth + eta**2 * (lam * sigma_sgd**2 + sigma_squared * q)
        errors.append(0.5 * lam @ s)
    return np.array(errors)


def inputs(H: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """3^d inputs and their probabilities, with the moments of N(0, H) up to order 5 (Gauss-Hermite)."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(3)
    grid = np.array(list(itertools.product(nodes, repeat=len(H))))
    probabilities = np.array([np.prod(w) for w in itertools.product(weights / weights.sum(), repeat=len(H))])
    return grid @ np.linalg.cholesky(H).T, probabilities


class SecondMoments:
    """E z z' of the state `z = (theta - theta*, w_{t-1}, ..., w_{t-taps+1})`, averaged over every input.

    `theta' <- theta' - eta x (x'theta' - xi) - eta sum_tau beta_tau w_{t-tau}` (choquettechoo2023 eq. 57).
    """

    def __init__(self, H: np.ndarray, eta: float, beta: np.ndarray, sigma_squared: float, sigma_sgd: float) -> None:
        d, taps = len(H), len(beta)
        size = d * taps
        self.H, self.size, self.d = H, size, d
        X, self.probabilities = inputs(H)
        self.transitions = []
        for x in X:
            A = np.zeros((size, size))
            A[:d, :d] = np.eye(d) - eta * np.outer(x, x)
            for tau in range(1, taps):
                A[:d, tau * d : (tau + 1) * d] = -eta * beta[tau] * np.eye(d)
            for tau in range(1, taps - 1):
                A[(tau + 1) * d : (tau + 2) * d, tau * d : (tau + 1) * d] = np.eye(d)
            self.transitions.append(A)
        new = np.zeros((size, d))
        new[:d] = -eta * beta[0] * np.eye(d)
        if taps > 1:
            new[d : 2 * d] = np.eye(d)
        self.added = sigma_squared * new @ new.T
        self.added[:d, :d] += eta**2 * sigma_sgd**2 * H

    def step(self, S: np.ndarray) -> np.ndarray:
        moved = sum(p * A @ S @ A.T for p, A in zip(self.probabilities, self.transitions, strict=True))
        return np.asarray(moved + self.added)

    def limit(self) -> float:
        """F_inf of eq. 8, from the fixed point by a dense linear system."""
        n = self.size**2
        zero = self.step(np.zeros((self.size, self.size))).ravel()
        matrix = np.array([self.step(e.reshape(self.size, -1)).ravel() - zero for e in np.eye(n)]).T
        S = np.linalg.solve(np.eye(n) - matrix, zero).reshape(self.size, -1)
        return 0.5 * float(np.trace(self.H @ S[: self.d, : self.d]))

    def risks(self, start: np.ndarray, steps: int) -> np.ndarray:
        """The error of eq. 8 at t = 0..steps."""
        S = np.zeros((self.size, self.size))
        S[: self.d, : self.d] = np.outer(start, start)
        errors = [0.5 * np.trace(self.H @ S[: self.d, : self.d])]
        for _ in range(steps):
            S = self.step(S)
            errors.append(0.5 * np.trace(self.H @ S[: self.d, : self.d]))
        return np.array(errors)
