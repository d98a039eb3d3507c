window.dpdescentCompute = {
 "": {
  "cpu_s": 6.47,
  "peak_mb": 201.38
 },
 "all stages": {
  "cpu_s": 7928.87,
  "peak_mb": 1639.37
 },
 "brown2024": {
  "cpu_s": 2206.09,
  "peak_mb": 1639.37
 },
 "brown2024/ext_author_profile": {
  "cpu_s": 107.84,
  "peak_mb": 618.89
 },
 "brown2024/ext_no_clipping": {
  "cpu_s": 24.25,
  "peak_mb": 209.86
 },
 "brown2024/ext_outliers": {
  "cpu_s": 95.81,
  "peak_mb": 133.8
 },
 "brown2024/ext_small_noise": {
  "cpu_s": 38.39,
  "peak_mb": 127.78
 },
 "brown2024/fig01": {
  "cpu_s": 229.82,
  "peak_mb": 891.18
 },
 "brown2024/fig02": {
  "cpu_s": 34.31,
  "peak_mb": 134.62
 },
 "brown2024/fig03": {
  "cpu_s": 60.65,
  "peak_mb": 133.16
 },
 "brown2024/fig04": {
  "cpu_s": 66.56,
  "peak_mb": 141.75
 },
 "brown2024/fig05": {
  "cpu_s": 174.07,
  "peak_mb": 561.04
 },
 "brown2024/fig06": {
  "cpu_s": 201.6,
  "peak_mb": 561.07
 },
 "brown2024/fig07": {
  "cpu_s": 61.78,
  "peak_mb": 130.05
 },
 "brown2024/fig08": {
  "cpu_s": 334.87,
  "peak_mb": 1639.37
 },
 "brown2024/fig09": {
  "cpu_s": 319.89,
  "peak_mb": 891.46
 },
 "brown2024/fig10": {
  "cpu_s": 152.5,
  "peak_mb": 553.89
 },
 "brown2024/fig11": {
  "cpu_s": 220.68,
  "peak_mb": 561.39
 },
 "brown2024/table_preliminaries": {
  "cpu_s": 9.25,
  "peak_mb": 110.51
 },
 "choquettechoo2023": {
  "cpu_s": 1325.67,
  "peak_mb": 517.98
 },
 "choquettechoo2023/ext_anti_pgd": {
  "cpu_s": 6.22,
  "peak_mb": 135.43
 },
 "choquettechoo2023/ext_finite_time": {
  "cpu_s": 34.16,
  "peak_mb": 161.76
 },
 "choquettechoo2023/ext_mean_estimation": {
  "cpu_s": 12.3,
  "peak_mb": 236.87
 },
 "choquettechoo2023/ext_nu": {
  "cpu_s": 5.09,
  "peak_mb": 131.21
 },
 "choquettechoo2023/ext_prefix_sums": {
  "cpu_s": 171.25,
  "peak_mb": 356.6
 },
 "choquettechoo2023/ext_spectra": {
  "cpu_s": 5.0,
  "peak_mb": 133.21
 },
 "choquettechoo2023/fig01": {
  "cpu_s": 6.44,
  "peak_mb": 130.98
 },
 "choquettechoo2023/fig02": {
  "cpu_s": 374.51,
  "peak_mb": 517.98
 },
 "choquettechoo2023/fig03": {
  "cpu_s": 15.64,
  "peak_mb": 135.37
 },
 "choquettechoo2023/fig04a": {
  "cpu_s": 476.63,
  "peak_mb": 166.29
 },
 "choquettechoo2023/fig04b": {
  "cpu_s": 115.58,
  "peak_mb": 253.83
 },
 "choquettechoo2023/table1": {
  "cpu_s": 2.68,
  "peak_mb": 108.54
 },
 "choquettechoo2023/table2": {
  "cpu_s": 1.78,
  "peak_mb": 110.99
 },
 "choquettechoo2023/table3": {
  "cpu_s": 2.89,
  "peak_mb": 110.91
 },
 "choquettechoo2023/table4": {
  "cpu_s": 2.7,
  "peak_mb": 111.17
 },
 "liang2025": {
  "cpu_s": 728.39,
  "peak_mb": 410.05
 },
 "liang2025/angrist": {
  "cpu_s": 0.18,
  "peak_mb": 3.11
 },
 "liang2025/angrist_all": {
  "cpu_s": 0.03,
  "peak_mb": 15.02
 },
 "liang2025/angrist_kids": {
  "cpu_s": 0.21,
  "peak_mb": 3.1
 },
 "liang2025/angrist_worked": {
  "cpu_s": 0.42,
  "peak_mb": 3.32
 },
 "liang2025/card": {
  "cpu_s": 0.2,
  "peak_mb": 40.41
 },
 "liang2025/ext_angrist_subsets": {
  "cpu_s": 7.03,
  "peak_mb": 126.99
 },
 "liang2025/ext_calibration": {
  "cpu_s": 8.08,
  "peak_mb": 130.44
 },
 "liang2025/ext_friendlycore": {
  "cpu_s": 14.83,
  "peak_mb": 130.06
 },
 "liang2025/ext_overidentified": {
  "cpu_s": 12.03,
  "peak_mb": 133.3
 },
 "liang2025/ext_parameter_draws": {
  "cpu_s": 34.55,
  "peak_mb": 132.23
 },
 "liang2025/ext_weak_instrument": {
  "cpu_s": 57.1,
  "peak_mb": 130.04
 },
 "liang2025/fig01": {
  "cpu_s": 3.04,
  "peak_mb": 124.13
 },
 "liang2025/fig02": {
  "cpu_s": 3.41,
  "peak_mb": 127.07
 },
 "liang2025/fig03": {
  "cpu_s": 182.48,
  "peak_mb": 140.3
 },
 "liang2025/fig04": {
  "cpu_s": 87.05,
  "peak_mb": 134.18
 },
 "liang2025/fig05": {
  "cpu_s": 6.62,
  "peak_mb": 133.29
 },
 "liang2025/fig06": {
  "cpu_s": 122.21,
  "peak_mb": 132.8
 },
 "liang2025/fig07": {
  "cpu_s": 13.4,
  "peak_mb": 129.89
 },
 "liang2025/fig08": {
  "cpu_s": 8.17,
  "peak_mb": 129.32
 },
 "liang2025/fig09": {
  "cpu_s": 16.13,
  "peak_mb": 131.77
 },
 "liang2025/fig10": {
  "cpu_s": 7.11,
  "peak_mb": 133.16
 },
 "liang2025/fig11": {
  "cpu_s": 6.48,
  "peak_mb": 133.09
 },
 "liang2025/fig13": {
  "cpu_s": 13.5,
  "peak_mb": 217.02
 },
 "liang2025/table_lemmas": {
  "cpu_s": 20.58,
  "peak_mb": 112.1
 },
 "liang2025/table_release_beta_only": {
  "cpu_s": 5.2,
  "peak_mb": 110.3
 },
 "varshney2022": {
  "cpu_s": 1839.2,
  "peak_mb": 1049.82
 },
 "varshney2022/ablation": {
  "cpu_s": 15.36,
  "peak_mb": 149.04
 },
 "varshney2022/alg_stat": {
  "cpu_s": 16.35,
  "peak_mb": 170.16
 },
 "varshney2022/audit": {
  "cpu_s": 14.27,
  "peak_mb": 130.09
 },
 "varshney2022/bound_vs_run": {
  "cpu_s": 35.84,
  "peak_mb": 177.36
 },
 "varshney2022/clip_path": {
  "cpu_s": 13.5,
  "peak_mb": 145.29
 },
 "varshney2022/feasibility": {
  "cpu_s": 4.11,
  "peak_mb": 130.51
 },
 "varshney2022/moments": {
  "cpu_s": 4.79,
  "peak_mb": 135.61
 },
 "varshney2022/multiplier": {
  "cpu_s": 15.73,
  "peak_mb": 137.15
 },
 "varshney2022/risk_vs_d": {
  "cpu_s": 262.79,
  "peak_mb": 487.07
 },
 "varshney2022/risk_vs_eps": {
  "cpu_s": 59.58,
  "peak_mb": 140.08
 },
 "varshney2022/risk_vs_kappa": {
  "cpu_s": 55.06,
  "peak_mb": 186.02
 },
 "varshney2022/risk_vs_n": {
  "cpu_s": 519.83,
  "peak_mb": 1049.82
 },
 "varshney2022/risk_vs_sigma": {
  "cpu_s": 38.49,
  "peak_mb": 136.65
 },
 "varshney2022/sample_complexity": {
  "cpu_s": 442.06,
  "peak_mb": 205.72
 },
 "varshney2022/ssgd": {
  "cpu_s": 127.71,
  "peak_mb": 699.41
 },
 "varshney2022/step_size": {
  "cpu_s": 36.01,
  "peak_mb": 457.36
 },
 "varshney2022/table_bounds": {
  "cpu_s": 4.11,
  "peak_mb": 106.5
 },
 "varshney2022/tails": {
  "cpu_s": 14.49,
  "peak_mb": 131.15
 },
 "wang2026": {
  "cpu_s": 1823.05,
  "peak_mb": 858.55
 },
 "wang2026/admissible_width": {
  "cpu_s": 7.66,
  "peak_mb": 157.54
 },
 "wang2026/batch": {
  "cpu_s": 31.99,
  "peak_mb": 143.42
 },
 "wang2026/bound_vs_run": {
  "cpu_s": 19.78,
  "peak_mb": 164.1
 },
 "wang2026/clipping": {
  "cpu_s": 17.37,
  "peak_mb": 134.65
 },
 "wang2026/closed_form_validity": {
  "cpu_s": 32.76,
  "peak_mb": 406.02
 },
 "wang2026/comparator": {
  "cpu_s": 26.01,
  "peak_mb": 137.63
 },
 "wang2026/eps_and_d": {
  "cpu_s": 95.36,
  "peak_mb": 175.88
 },
 "wang2026/fig01": {
  "cpu_s": 132.52,
  "peak_mb": 143.12
 },
 "wang2026/fixed_kappa": {
  "cpu_s": 29.48,
  "peak_mb": 143.02
 },
 "wang2026/initialisation": {
  "cpu_s": 18.02,
  "peak_mb": 133.48
 },
 "wang2026/kan_lambda": {
  "cpu_s": 192.07,
  "peak_mb": 170.28
 },
 "wang2026/kappa_tables": {
  "cpu_s": 395.44,
  "peak_mb": 527.5
 },
 "wang2026/lambda_tradeoff": {
  "cpu_s": 4.69,
  "peak_mb": 142.05
 },
 "wang2026/private_rate_n": {
  "cpu_s": 216.17,
  "peak_mb": 158.34
 },
 "wang2026/projection": {
  "cpu_s": 41.34,
  "peak_mb": 145.05
 },
 "wang2026/rate_T": {
  "cpu_s": 61.37,
  "peak_mb": 133.86
 },
 "wang2026/rate_minibatch": {
  "cpu_s": 83.69,
  "peak_mb": 156.27
 },
 "wang2026/rate_n": {
  "cpu_s": 47.66,
  "peak_mb": 129.35
 },
 "wang2026/sampling_counterexample": {
  "cpu_s": 22.49,
  "peak_mb": 156.95
 },
 "wang2026/stability": {
  "cpu_s": 9.97,
  "peak_mb": 131.35
 },
 "wang2026/table_rates": {
  "cpu_s": 3.48,
  "peak_mb": 109.24
 },
 "wang2026/width": {
  "cpu_s": 96.92,
  "peak_mb": 170.17
 }
};
