"""angrist-sample: how many of 20,000 records two rules would keep (liang2025 Sec. 4.2)."""

import numpy as np

# Angrist and Evans's extract of all mothers, 1980 census, as it is public: records by number of children.
mothers, more_than_two = 396_192, 159_566
drawn, kept = 20_000, 8065
for rule, share in (("at least two", 1.0), ("more than two", more_than_two / mothers)):
    expected, sd = drawn * share, np.sqrt(drawn * share * (1 - share))
    print(f"{rule} children: {share:.2%}; of {drawn} one expects {expected:.0f} +- {sd:.0f}, kept: {kept}")
