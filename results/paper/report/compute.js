window.dpdescentCompute = {
 "": {
  "cpu_s": 11.27,
  "peak_mb": 330.02
 },
 "all stages": {
  "cpu_s": 11497.28,
  "peak_mb": 4339.3
 },
 "brown2024": {
  "cpu_s": 1659.86,
  "peak_mb": 4339.3
 },
 "brown2024/ext_author_profile": {
  "cpu_s": 89.64,
  "peak_mb": 681.38
 },
 "brown2024/ext_large_dimension": {
  "cpu_s": 77.26,
  "peak_mb": 522.78
 },
 "brown2024/ext_law": {
  "cpu_s": 47.02,
  "peak_mb": 4339.3
 },
 "brown2024/ext_no_clipping": {
  "cpu_s": 13.44,
  "peak_mb": 270.79
 },
 "brown2024/ext_outliers": {
  "cpu_s": 134.06,
  "peak_mb": 150.44
 },
 "brown2024/ext_small_noise": {
  "cpu_s": 17.79,
  "peak_mb": 130.96
 },
 "brown2024/fig01": {
  "cpu_s": 163.61,
  "peak_mb": 1782.36
 },
 "brown2024/fig02": {
  "cpu_s": 11.13,
  "peak_mb": 151.45
 },
 "brown2024/fig03": {
  "cpu_s": 67.14,
  "peak_mb": 204.57
 },
 "brown2024/fig04": {
  "cpu_s": 38.56,
  "peak_mb": 159.31
 },
 "brown2024/fig05": {
  "cpu_s": 137.98,
  "peak_mb": 593.62
 },
 "brown2024/fig06": {
  "cpu_s": 4.86,
  "peak_mb": 164.45
 },
 "brown2024/fig07": {
  "cpu_s": 36.25,
  "peak_mb": 145.95
 },
 "brown2024/fig08": {
  "cpu_s": 312.91,
  "peak_mb": 2091.95
 },
 "brown2024/fig09": {
  "cpu_s": 243.66,
  "peak_mb": 1789.65
 },
 "brown2024/fig10": {
  "cpu_s": 143.41,
  "peak_mb": 593.81
 },
 "brown2024/fig11": {
  "cpu_s": 5.19,
  "peak_mb": 164.62
 },
 "brown2024/table_preliminaries": {
  "cpu_s": 3.8,
  "peak_mb": 102.81
 },
 "brown2024/table_proofs": {
  "cpu_s": 45.19,
  "peak_mb": 237.15
 },
 "choquettechoo2023": {
  "cpu_s": 725.42,
  "peak_mb": 494.36
 },
 "choquettechoo2023/ext_anti_pgd": {
  "cpu_s": 2.71,
  "peak_mb": 192.3
 },
 "choquettechoo2023/ext_finite_time": {
  "cpu_s": 17.15,
  "peak_mb": 214.37
 },
 "choquettechoo2023/ext_gradients": {
  "cpu_s": 26.17,
  "peak_mb": 288.07
 },
 "choquettechoo2023/ext_mean_estimation": {
  "cpu_s": 2.85,
  "peak_mb": 299.03
 },
 "choquettechoo2023/ext_nu": {
  "cpu_s": 2.66,
  "peak_mb": 185.23
 },
 "choquettechoo2023/ext_prefix_sums": {
  "cpu_s": 139.09,
  "peak_mb": 404.98
 },
 "choquettechoo2023/ext_spectra": {
  "cpu_s": 3.01,
  "peak_mb": 194.62
 },
 "choquettechoo2023/fig01": {
  "cpu_s": 1.9,
  "peak_mb": 139.61
 },
 "choquettechoo2023/fig02": {
  "cpu_s": 143.03,
  "peak_mb": 451.15
 },
 "choquettechoo2023/fig03": {
  "cpu_s": 5.07,
  "peak_mb": 151.93
 },
 "choquettechoo2023/fig04a": {
  "cpu_s": 350.19,
  "peak_mb": 494.36
 },
 "choquettechoo2023/table1": {
  "cpu_s": 1.33,
  "peak_mb": 140.89
 },
 "choquettechoo2023/table2": {
  "cpu_s": 1.28,
  "peak_mb": 143.97
 },
 "choquettechoo2023/table3": {
  "cpu_s": 2.77,
  "peak_mb": 166.88
 },
 "choquettechoo2023/table4": {
  "cpu_s": 1.3,
  "peak_mb": 139.69
 },
 "liang2025": {
  "cpu_s": 982.03,
  "peak_mb": 1005.09
 },
 "liang2025/angrist": {
  "cpu_s": 0.17,
  "peak_mb": 3.36
 },
 "liang2025/angrist_all": {
  "cpu_s": 0.14,
  "peak_mb": 0.0
 },
 "liang2025/angrist_kids": {
  "cpu_s": 0.31,
  "peak_mb": 3.11
 },
 "liang2025/angrist_worked": {
  "cpu_s": 0.14,
  "peak_mb": 8.88
 },
 "liang2025/card": {
  "cpu_s": 0.12,
  "peak_mb": 2.89
 },
 "liang2025/ext_angrist_subsets": {
  "cpu_s": 4.15,
  "peak_mb": 147.12
 },
 "liang2025/ext_calibration": {
  "cpu_s": 5.42,
  "peak_mb": 131.96
 },
 "liang2025/ext_consistency": {
  "cpu_s": 7.65,
  "peak_mb": 164.71
 },
 "liang2025/ext_friendlycore": {
  "cpu_s": 11.7,
  "peak_mb": 143.73
 },
 "liang2025/ext_long_runs": {
  "cpu_s": 11.26,
  "peak_mb": 224.93
 },
 "liang2025/ext_overidentified": {
  "cpu_s": 5.36,
  "peak_mb": 137.46
 },
 "liang2025/ext_parameter_draws": {
  "cpu_s": 24.59,
  "peak_mb": 177.3
 },
 "liang2025/ext_weak_instrument": {
  "cpu_s": 21.64,
  "peak_mb": 129.45
 },
 "liang2025/fig01": {
  "cpu_s": 1.09,
  "peak_mb": 125.69
 },
 "liang2025/fig02": {
  "cpu_s": 1.53,
  "peak_mb": 134.34
 },
 "liang2025/fig03": {
  "cpu_s": 231.74,
  "peak_mb": 197.23
 },
 "liang2025/fig04": {
  "cpu_s": 151.43,
  "peak_mb": 169.17
 },
 "liang2025/fig05": {
  "cpu_s": 11.58,
  "peak_mb": 254.57
 },
 "liang2025/fig06": {
  "cpu_s": 195.89,
  "peak_mb": 142.31
 },
 "liang2025/fig07": {
  "cpu_s": 7.47,
  "peak_mb": 169.36
 },
 "liang2025/fig08": {
  "cpu_s": 4.78,
  "peak_mb": 143.48
 },
 "liang2025/fig09": {
  "cpu_s": 14.06,
  "peak_mb": 138.31
 },
 "liang2025/fig10": {
  "cpu_s": 12.02,
  "peak_mb": 253.79
 },
 "liang2025/fig11": {
  "cpu_s": 11.17,
  "peak_mb": 253.9
 },
 "liang2025/fig13": {
  "cpu_s": 94.5,
  "peak_mb": 1005.09
 },
 "liang2025/table_lemmas": {
  "cpu_s": 14.02,
  "peak_mb": 110.32
 },
 "liang2025/table_rates": {
  "cpu_s": 75.09,
  "peak_mb": 489.05
 },
 "liang2025/table_release_beta_only": {
  "cpu_s": 2.49,
  "peak_mb": 96.66
 },
 "ours": {
  "cpu_s": 3047.66,
  "peak_mb": 529.25
 },
 "ours/calibration": {
  "cpu_s": 23.67,
  "peak_mb": 182.03
 },
 "ours/correlated_full_batch": {
  "cpu_s": 5.64,
  "peak_mb": 192.9
 },
 "ours/decision": {
  "cpu_s": 3.06,
  "peak_mb": 204.23
 },
 "ours/iv_coverage": {
  "cpu_s": 268.41,
  "peak_mb": 240.99
 },
 "ours/iv_length": {
  "cpu_s": 11.16,
  "peak_mb": 160.83
 },
 "ours/iv_path_law": {
  "cpu_s": 60.27,
  "peak_mb": 168.59
 },
 "ours/iv_real": {
  "cpu_s": 76.85,
  "peak_mb": 193.41
 },
 "ours/iv_weak": {
  "cpu_s": 134.63,
  "peak_mb": 208.13
 },
 "ours/real_tables": {
  "cpu_s": 219.94,
  "peak_mb": 414.98
 },
 "ours/regression": {
  "cpu_s": 1254.25,
  "peak_mb": 529.25
 },
 "ours/regression_ends": {
  "cpu_s": 251.28,
  "peak_mb": 328.35
 },
 "ours/schedule": {
  "cpu_s": 72.36,
  "peak_mb": 185.22
 },
 "ours/win_map": {
  "cpu_s": 648.49,
  "peak_mb": 455.56
 },
 "varshney2022": {
  "cpu_s": 2758.29,
  "peak_mb": 1053.38
 },
 "varshney2022/ablation": {
  "cpu_s": 22.18,
  "peak_mb": 179.45
 },
 "varshney2022/alg_stat": {
  "cpu_s": 8.15,
  "peak_mb": 196.07
 },
 "varshney2022/audit": {
  "cpu_s": 40.31,
  "peak_mb": 165.41
 },
 "varshney2022/bound_vs_run": {
  "cpu_s": 15.73,
  "peak_mb": 177.52
 },
 "varshney2022/clip_path": {
  "cpu_s": 28.37,
  "peak_mb": 264.08
 },
 "varshney2022/ext_large": {
  "cpu_s": 85.32,
  "peak_mb": 115.3
 },
 "varshney2022/ext_orders": {
  "cpu_s": 5.97,
  "peak_mb": 246.77
 },
 "varshney2022/ext_privacy": {
  "cpu_s": 175.71,
  "peak_mb": 172.38
 },
 "varshney2022/ext_thresholds": {
  "cpu_s": 142.02,
  "peak_mb": 198.04
 },
 "varshney2022/feasibility": {
  "cpu_s": 2.6,
  "peak_mb": 160.34
 },
 "varshney2022/moments": {
  "cpu_s": 3.14,
  "peak_mb": 163.53
 },
 "varshney2022/multiplier": {
  "cpu_s": 3.48,
  "peak_mb": 176.96
 },
 "varshney2022/risk_vs_d": {
  "cpu_s": 381.17,
  "peak_mb": 563.76
 },
 "varshney2022/risk_vs_eps": {
  "cpu_s": 106.28,
  "peak_mb": 174.81
 },
 "varshney2022/risk_vs_kappa": {
  "cpu_s": 159.47,
  "peak_mb": 200.49
 },
 "varshney2022/risk_vs_n": {
  "cpu_s": 496.61,
  "peak_mb": 1053.38
 },
 "varshney2022/risk_vs_sigma": {
  "cpu_s": 20.67,
  "peak_mb": 171.3
 },
 "varshney2022/sample_complexity": {
  "cpu_s": 755.28,
  "peak_mb": 281.62
 },
 "varshney2022/ssgd": {
  "cpu_s": 79.24,
  "peak_mb": 968.47
 },
 "varshney2022/step_size": {
  "cpu_s": 35.35,
  "peak_mb": 478.19
 },
 "varshney2022/table_bounds": {
  "cpu_s": 1.65,
  "peak_mb": 112.13
 },
 "varshney2022/tails": {
  "cpu_s": 11.05,
  "peak_mb": 160.98
 },
 "wang2026": {
  "cpu_s": 2312.75,
  "peak_mb": 1995.32
 },
 "wang2026/admissible_width": {
  "cpu_s": 3.66,
  "peak_mb": 229.91
 },
 "wang2026/bound_vs_run": {
  "cpu_s": 22.02,
  "peak_mb": 226.79
 },
 "wang2026/clipping": {
  "cpu_s": 25.9,
  "peak_mb": 188.66
 },
 "wang2026/closed_form_validity": {
  "cpu_s": 84.95,
  "peak_mb": 1995.32
 },
 "wang2026/comparator": {
  "cpu_s": 36.06,
  "peak_mb": 243.08
 },
 "wang2026/ext_proof": {
  "cpu_s": 98.78,
  "peak_mb": 458.18
 },
 "wang2026/ext_window": {
  "cpu_s": 196.45,
  "peak_mb": 195.57
 },
 "wang2026/ext_window_rates": {
  "cpu_s": 745.09,
  "peak_mb": 604.71
 },
 "wang2026/fig01": {
  "cpu_s": 324.77,
  "peak_mb": 206.7
 },
 "wang2026/initialisation": {
  "cpu_s": 10.89,
  "peak_mb": 208.86
 },
 "wang2026/kan_lambda": {
  "cpu_s": 365.74,
  "peak_mb": 227.85
 },
 "wang2026/kappa_tables": {
  "cpu_s": 242.43,
  "peak_mb": 636.17
 },
 "wang2026/lambda_tradeoff": {
  "cpu_s": 4.11,
  "peak_mb": 202.97
 },
 "wang2026/sampling_counterexample": {
  "cpu_s": 10.0,
  "peak_mb": 210.55
 },
 "wang2026/stability": {
  "cpu_s": 12.05,
  "peak_mb": 192.9
 },
 "wang2026/table_rates": {
  "cpu_s": 1.04,
  "peak_mb": 126.04
 }
};
