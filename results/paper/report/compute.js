window.dpdescentCompute = {
 "": {
  "cpu_s": 12.12,
  "peak_mb": 276.98
 },
 "all stages": {
  "cpu_s": 9954.38,
  "peak_mb": 2909.28
 },
 "brown2024": {
  "cpu_s": 1989.54,
  "peak_mb": 2068.3
 },
 "brown2024/ext_author_profile": {
  "cpu_s": 106.73,
  "peak_mb": 675.2
 },
 "brown2024/ext_large_dimension": {
  "cpu_s": 10.6,
  "peak_mb": 128.09
 },
 "brown2024/ext_law": {
  "cpu_s": 7.31,
  "peak_mb": 421.43
 },
 "brown2024/ext_no_clipping": {
  "cpu_s": 17.93,
  "peak_mb": 240.9
 },
 "brown2024/ext_outliers": {
  "cpu_s": 197.05,
  "peak_mb": 141.2
 },
 "brown2024/ext_small_noise": {
  "cpu_s": 24.73,
  "peak_mb": 131.76
 },
 "brown2024/fig01": {
  "cpu_s": 169.14,
  "peak_mb": 948.88
 },
 "brown2024/fig02": {
  "cpu_s": 15.97,
  "peak_mb": 140.71
 },
 "brown2024/fig03": {
  "cpu_s": 87.69,
  "peak_mb": 153.68
 },
 "brown2024/fig04": {
  "cpu_s": 52.0,
  "peak_mb": 146.97
 },
 "brown2024/fig05": {
  "cpu_s": 189.77,
  "peak_mb": 563.01
 },
 "brown2024/fig06": {
  "cpu_s": 5.78,
  "peak_mb": 153.71
 },
 "brown2024/fig07": {
  "cpu_s": 53.57,
  "peak_mb": 134.43
 },
 "brown2024/fig08": {
  "cpu_s": 375.93,
  "peak_mb": 2068.3
 },
 "brown2024/fig09": {
  "cpu_s": 291.05,
  "peak_mb": 970.3
 },
 "brown2024/fig10": {
  "cpu_s": 203.93,
  "peak_mb": 563.24
 },
 "brown2024/fig11": {
  "cpu_s": 5.15,
  "peak_mb": 153.06
 },
 "brown2024/table_preliminaries": {
  "cpu_s": 5.74,
  "peak_mb": 116.48
 },
 "brown2024/table_proofs": {
  "cpu_s": 64.87,
  "peak_mb": 192.01
 },
 "choquettechoo2023": {
  "cpu_s": 1137.67,
  "peak_mb": 1069.02
 },
 "choquettechoo2023/ext_anti_pgd": {
  "cpu_s": 2.35,
  "peak_mb": 135.5
 },
 "choquettechoo2023/ext_finite_time": {
  "cpu_s": 24.87,
  "peak_mb": 186.05
 },
 "choquettechoo2023/ext_gradients": {
  "cpu_s": 34.78,
  "peak_mb": 260.51
 },
 "choquettechoo2023/ext_mean_estimation": {
  "cpu_s": 3.6,
  "peak_mb": 270.51
 },
 "choquettechoo2023/ext_nu": {
  "cpu_s": 2.82,
  "peak_mb": 135.46
 },
 "choquettechoo2023/ext_prefix_sums": {
  "cpu_s": 196.49,
  "peak_mb": 373.2
 },
 "choquettechoo2023/ext_spectra": {
  "cpu_s": 3.49,
  "peak_mb": 137.75
 },
 "choquettechoo2023/fig01": {
  "cpu_s": 2.57,
  "peak_mb": 132.04
 },
 "choquettechoo2023/fig02": {
  "cpu_s": 174.52,
  "peak_mb": 422.18
 },
 "choquettechoo2023/fig03": {
  "cpu_s": 6.39,
  "peak_mb": 151.14
 },
 "choquettechoo2023/fig04a": {
  "cpu_s": 497.14,
  "peak_mb": 464.3
 },
 "choquettechoo2023/fig04b": {
  "cpu_s": 118.82,
  "peak_mb": 1069.02
 },
 "choquettechoo2023/table1": {
  "cpu_s": 1.41,
  "peak_mb": 108.46
 },
 "choquettechoo2023/table2": {
  "cpu_s": 1.41,
  "peak_mb": 111.5
 },
 "choquettechoo2023/table3": {
  "cpu_s": 3.01,
  "peak_mb": 134.83
 },
 "choquettechoo2023/table4": {
  "cpu_s": 1.25,
  "peak_mb": 107.44
 },
 "liang2025": {
  "cpu_s": 828.11,
  "peak_mb": 1078.12
 },
 "liang2025/angrist": {
  "cpu_s": 0.16,
  "peak_mb": 4.96
 },
 "liang2025/angrist_all": {
  "cpu_s": 0.24,
  "peak_mb": 3.03
 },
 "liang2025/angrist_kids": {
  "cpu_s": 0.27,
  "peak_mb": 3.29
 },
 "liang2025/angrist_worked": {
  "cpu_s": 0.16,
  "peak_mb": 3.11
 },
 "liang2025/card": {
  "cpu_s": 0.15,
  "peak_mb": 3.16
 },
 "liang2025/ext_angrist_subsets": {
  "cpu_s": 3.79,
  "peak_mb": 131.59
 },
 "liang2025/ext_calibration": {
  "cpu_s": 5.86,
  "peak_mb": 132.36
 },
 "liang2025/ext_consistency": {
  "cpu_s": 4.98,
  "peak_mb": 130.0
 },
 "liang2025/ext_friendlycore": {
  "cpu_s": 14.82,
  "peak_mb": 141.89
 },
 "liang2025/ext_long_runs": {
  "cpu_s": 16.02,
  "peak_mb": 185.52
 },
 "liang2025/ext_overidentified": {
  "cpu_s": 5.99,
  "peak_mb": 134.43
 },
 "liang2025/ext_parameter_draws": {
  "cpu_s": 33.66,
  "peak_mb": 146.65
 },
 "liang2025/ext_weak_instrument": {
  "cpu_s": 18.66,
  "peak_mb": 135.39
 },
 "liang2025/fig01": {
  "cpu_s": 1.08,
  "peak_mb": 123.88
 },
 "liang2025/fig02": {
  "cpu_s": 1.51,
  "peak_mb": 131.72
 },
 "liang2025/fig03": {
  "cpu_s": 243.45,
  "peak_mb": 157.6
 },
 "liang2025/fig04": {
  "cpu_s": 75.27,
  "peak_mb": 139.25
 },
 "liang2025/fig05": {
  "cpu_s": 8.64,
  "peak_mb": 243.02
 },
 "liang2025/fig06": {
  "cpu_s": 173.98,
  "peak_mb": 138.5
 },
 "liang2025/fig07": {
  "cpu_s": 7.16,
  "peak_mb": 130.58
 },
 "liang2025/fig08": {
  "cpu_s": 5.05,
  "peak_mb": 131.74
 },
 "liang2025/fig09": {
  "cpu_s": 8.49,
  "peak_mb": 133.52
 },
 "liang2025/fig10": {
  "cpu_s": 8.48,
  "peak_mb": 242.53
 },
 "liang2025/fig11": {
  "cpu_s": 8.25,
  "peak_mb": 242.14
 },
 "liang2025/fig13": {
  "cpu_s": 39.79,
  "peak_mb": 1078.12
 },
 "liang2025/table_lemmas": {
  "cpu_s": 17.65,
  "peak_mb": 102.67
 },
 "liang2025/table_rates": {
  "cpu_s": 26.85,
  "peak_mb": 240.67
 },
 "liang2025/table_release_beta_only": {
  "cpu_s": 2.59,
  "peak_mb": 92.31
 },
 "ours": {
  "cpu_s": 1686.47,
  "peak_mb": 543.91
 },
 "ours/calibration": {
  "cpu_s": 32.17,
  "peak_mb": 168.71
 },
 "ours/correlated_full_batch": {
  "cpu_s": 7.92,
  "peak_mb": 188.73
 },
 "ours/decision": {
  "cpu_s": 2.61,
  "peak_mb": 166.43
 },
 "ours/iv_coverage": {
  "cpu_s": 388.79,
  "peak_mb": 203.6
 },
 "ours/iv_length": {
  "cpu_s": 15.88,
  "peak_mb": 159.71
 },
 "ours/iv_path_law": {
  "cpu_s": 81.58,
  "peak_mb": 159.36
 },
 "ours/iv_real": {
  "cpu_s": 107.64,
  "peak_mb": 167.25
 },
 "ours/iv_weak": {
  "cpu_s": 190.56,
  "peak_mb": 183.14
 },
 "ours/real_tables": {
  "cpu_s": 153.46,
  "peak_mb": 197.8
 },
 "ours/schedule": {
  "cpu_s": 105.74,
  "peak_mb": 175.59
 },
 "ours/win_map": {
  "cpu_s": 339.93,
  "peak_mb": 201.09
 },
 "varshney2022": {
  "cpu_s": 1859.42,
  "peak_mb": 1044.3
 },
 "varshney2022/ablation": {
  "cpu_s": 34.55,
  "peak_mb": 150.52
 },
 "varshney2022/alg_stat": {
  "cpu_s": 13.09,
  "peak_mb": 166.29
 },
 "varshney2022/audit": {
  "cpu_s": 66.63,
  "peak_mb": 134.17
 },
 "varshney2022/bound_vs_run": {
  "cpu_s": 21.73,
  "peak_mb": 169.49
 },
 "varshney2022/clip_path": {
  "cpu_s": 36.63,
  "peak_mb": 199.34
 },
 "varshney2022/ext_orders": {
  "cpu_s": 7.43,
  "peak_mb": 218.04
 },
 "varshney2022/ext_privacy": {
  "cpu_s": 48.94,
  "peak_mb": 161.57
 },
 "varshney2022/ext_thresholds": {
  "cpu_s": 52.8,
  "peak_mb": 188.18
 },
 "varshney2022/feasibility": {
  "cpu_s": 2.7,
  "peak_mb": 133.84
 },
 "varshney2022/moments": {
  "cpu_s": 2.73,
  "peak_mb": 138.14
 },
 "varshney2022/multiplier": {
  "cpu_s": 3.89,
  "peak_mb": 145.13
 },
 "varshney2022/risk_vs_d": {
  "cpu_s": 264.35,
  "peak_mb": 544.52
 },
 "varshney2022/risk_vs_eps": {
  "cpu_s": 67.16,
  "peak_mb": 146.51
 },
 "varshney2022/risk_vs_kappa": {
  "cpu_s": 69.58,
  "peak_mb": 186.74
 },
 "varshney2022/risk_vs_n": {
  "cpu_s": 369.11,
  "peak_mb": 1044.3
 },
 "varshney2022/risk_vs_sigma": {
  "cpu_s": 24.67,
  "peak_mb": 142.39
 },
 "varshney2022/sample_complexity": {
  "cpu_s": 347.12,
  "peak_mb": 241.97
 },
 "varshney2022/ssgd": {
  "cpu_s": 108.68,
  "peak_mb": 960.13
 },
 "varshney2022/step_size": {
  "cpu_s": 51.27,
  "peak_mb": 463.83
 },
 "varshney2022/table_bounds": {
  "cpu_s": 1.14,
  "peak_mb": 103.16
 },
 "varshney2022/tails": {
  "cpu_s": 12.62,
  "peak_mb": 132.83
 },
 "wang2026": {
  "cpu_s": 2441.05,
  "peak_mb": 2909.28
 },
 "wang2026/admissible_width": {
  "cpu_s": 4.02,
  "peak_mb": 159.36
 },
 "wang2026/batch": {
  "cpu_s": 25.38,
  "peak_mb": 144.08
 },
 "wang2026/bound_vs_run": {
  "cpu_s": 23.06,
  "peak_mb": 164.54
 },
 "wang2026/clipping": {
  "cpu_s": 20.35,
  "peak_mb": 134.67
 },
 "wang2026/closed_form_validity": {
  "cpu_s": 35.44,
  "peak_mb": 562.78
 },
 "wang2026/comparator": {
  "cpu_s": 20.68,
  "peak_mb": 180.72
 },
 "wang2026/eps_and_d": {
  "cpu_s": 173.02,
  "peak_mb": 237.95
 },
 "wang2026/ext_proof": {
  "cpu_s": 72.43,
  "peak_mb": 403.22
 },
 "wang2026/ext_window": {
  "cpu_s": 252.19,
  "peak_mb": 181.43
 },
 "wang2026/ext_window_rates": {
  "cpu_s": 263.42,
  "peak_mb": 571.52
 },
 "wang2026/fig01": {
  "cpu_s": 272.41,
  "peak_mb": 145.23
 },
 "wang2026/fixed_kappa": {
  "cpu_s": 20.96,
  "peak_mb": 143.68
 },
 "wang2026/initialisation": {
  "cpu_s": 17.38,
  "peak_mb": 138.19
 },
 "wang2026/kan_lambda": {
  "cpu_s": 305.2,
  "peak_mb": 166.64
 },
 "wang2026/kappa_tables": {
  "cpu_s": 234.73,
  "peak_mb": 555.62
 },
 "wang2026/lambda_tradeoff": {
  "cpu_s": 3.34,
  "peak_mb": 142.27
 },
 "wang2026/private_rate_n": {
  "cpu_s": 192.43,
  "peak_mb": 167.87
 },
 "wang2026/projection": {
  "cpu_s": 39.11,
  "peak_mb": 148.68
 },
 "wang2026/rate_T": {
  "cpu_s": 62.23,
  "peak_mb": 134.57
 },
 "wang2026/rate_minibatch": {
  "cpu_s": 99.91,
  "peak_mb": 159.3
 },
 "wang2026/rate_n": {
  "cpu_s": 67.15,
  "peak_mb": 132.0
 },
 "wang2026/sampling_counterexample": {
  "cpu_s": 13.7,
  "peak_mb": 159.11
 },
 "wang2026/stability": {
  "cpu_s": 8.62,
  "peak_mb": 134.34
 },
 "wang2026/table_rates": {
  "cpu_s": 0.78,
  "peak_mb": 76.8
 },
 "wang2026/width": {
  "cpu_s": 80.55,
  "peak_mb": 171.41
 }
};
