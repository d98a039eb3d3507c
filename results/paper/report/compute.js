window.dpdescentCompute = {
 "": {
  "cpu_s": 11.27,
  "peak_mb": 330.02
 },
 "all stages": {
  "cpu_s": 12746.78,
  "peak_mb": 4202.97
 },
 "brown2024": {
  "cpu_s": 2031.78,
  "peak_mb": 4202.97
 },
 "brown2024/ext_author_profile": {
  "cpu_s": 106.01,
  "peak_mb": 745.29
 },
 "brown2024/ext_large_dimension": {
  "cpu_s": 45.84,
  "peak_mb": 525.58
 },
 "brown2024/ext_law": {
  "cpu_s": 47.54,
  "peak_mb": 4202.97
 },
 "brown2024/ext_no_clipping": {
  "cpu_s": 15.71,
  "peak_mb": 271.26
 },
 "brown2024/ext_outliers": {
  "cpu_s": 178.56,
  "peak_mb": 146.99
 },
 "brown2024/ext_small_noise": {
  "cpu_s": 22.75,
  "peak_mb": 139.88
 },
 "brown2024/fig01": {
  "cpu_s": 200.25,
  "peak_mb": 1788.61
 },
 "brown2024/fig02": {
  "cpu_s": 16.45,
  "peak_mb": 188.33
 },
 "brown2024/fig03": {
  "cpu_s": 82.29,
  "peak_mb": 205.41
 },
 "brown2024/fig04": {
  "cpu_s": 47.02,
  "peak_mb": 157.55
 },
 "brown2024/fig05": {
  "cpu_s": 181.73,
  "peak_mb": 593.32
 },
 "brown2024/fig06": {
  "cpu_s": 5.55,
  "peak_mb": 162.55
 },
 "brown2024/fig07": {
  "cpu_s": 52.64,
  "peak_mb": 146.38
 },
 "brown2024/fig08": {
  "cpu_s": 361.19,
  "peak_mb": 2138.27
 },
 "brown2024/fig09": {
  "cpu_s": 315.08,
  "peak_mb": 1788.26
 },
 "brown2024/fig10": {
  "cpu_s": 200.26,
  "peak_mb": 593.84
 },
 "brown2024/fig11": {
  "cpu_s": 5.8,
  "peak_mb": 164.85
 },
 "brown2024/table_preliminaries": {
  "cpu_s": 5.76,
  "peak_mb": 119.55
 },
 "brown2024/table_proofs": {
  "cpu_s": 59.85,
  "peak_mb": 240.39
 },
 "choquettechoo2023": {
  "cpu_s": 943.66,
  "peak_mb": 492.28
 },
 "choquettechoo2023/ext_anti_pgd": {
  "cpu_s": 3.13,
  "peak_mb": 185.52
 },
 "choquettechoo2023/ext_finite_time": {
  "cpu_s": 20.79,
  "peak_mb": 211.97
 },
 "choquettechoo2023/ext_gradients": {
  "cpu_s": 30.79,
  "peak_mb": 287.4
 },
 "choquettechoo2023/ext_mean_estimation": {
  "cpu_s": 3.02,
  "peak_mb": 296.8
 },
 "choquettechoo2023/ext_nu": {
  "cpu_s": 3.14,
  "peak_mb": 183.07
 },
 "choquettechoo2023/ext_prefix_sums": {
  "cpu_s": 194.32,
  "peak_mb": 402.87
 },
 "choquettechoo2023/ext_spectra": {
  "cpu_s": 3.87,
  "peak_mb": 193.06
 },
 "choquettechoo2023/fig01": {
  "cpu_s": 2.36,
  "peak_mb": 137.59
 },
 "choquettechoo2023/fig02": {
  "cpu_s": 162.7,
  "peak_mb": 449.06
 },
 "choquettechoo2023/fig03": {
  "cpu_s": 6.0,
  "peak_mb": 154.09
 },
 "choquettechoo2023/fig04a": {
  "cpu_s": 450.02,
  "peak_mb": 492.28
 },
 "choquettechoo2023/table1": {
  "cpu_s": 1.39,
  "peak_mb": 139.1
 },
 "choquettechoo2023/table2": {
  "cpu_s": 1.23,
  "peak_mb": 141.48
 },
 "choquettechoo2023/table3": {
  "cpu_s": 3.18,
  "peak_mb": 164.78
 },
 "choquettechoo2023/table4": {
  "cpu_s": 1.33,
  "peak_mb": 137.53
 },
 "liang2025": {
  "cpu_s": 1125.04,
  "peak_mb": 1315.0
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
  "cpu_s": 3.11,
  "peak_mb": 144.44
 },
 "liang2025/ext_calibration": {
  "cpu_s": 7.16,
  "peak_mb": 134.62
 },
 "liang2025/ext_consistency": {
  "cpu_s": 5.15,
  "peak_mb": 139.2
 },
 "liang2025/ext_friendlycore": {
  "cpu_s": 49.46,
  "peak_mb": 140.13
 },
 "liang2025/ext_long_runs": {
  "cpu_s": 15.09,
  "peak_mb": 223.48
 },
 "liang2025/ext_overidentified": {
  "cpu_s": 5.1,
  "peak_mb": 135.95
 },
 "liang2025/ext_parameter_draws": {
  "cpu_s": 29.73,
  "peak_mb": 159.07
 },
 "liang2025/ext_weak_instrument": {
  "cpu_s": 20.24,
  "peak_mb": 135.31
 },
 "liang2025/fig01": {
  "cpu_s": 1.1,
  "peak_mb": 127.58
 },
 "liang2025/fig02": {
  "cpu_s": 1.33,
  "peak_mb": 133.07
 },
 "liang2025/fig03": {
  "cpu_s": 297.49,
  "peak_mb": 206.94
 },
 "liang2025/fig04": {
  "cpu_s": 190.51,
  "peak_mb": 171.58
 },
 "liang2025/fig05": {
  "cpu_s": 7.19,
  "peak_mb": 252.57
 },
 "liang2025/fig06": {
  "cpu_s": 163.08,
  "peak_mb": 140.6
 },
 "liang2025/fig07": {
  "cpu_s": 8.07,
  "peak_mb": 158.38
 },
 "liang2025/fig08": {
  "cpu_s": 5.07,
  "peak_mb": 143.22
 },
 "liang2025/fig09": {
  "cpu_s": 13.2,
  "peak_mb": 136.96
 },
 "liang2025/fig10": {
  "cpu_s": 7.23,
  "peak_mb": 250.86
 },
 "liang2025/fig11": {
  "cpu_s": 7.12,
  "peak_mb": 253.11
 },
 "liang2025/fig13": {
  "cpu_s": 53.84,
  "peak_mb": 1003.77
 },
 "liang2025/table_lemmas": {
  "cpu_s": 16.19,
  "peak_mb": 111.4
 },
 "liang2025/table_rates": {
  "cpu_s": 133.81,
  "peak_mb": 1315.0
 },
 "liang2025/table_release_beta_only": {
  "cpu_s": 3.06,
  "peak_mb": 95.7
 },
 "ours": {
  "cpu_s": 3346.76,
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
  "cpu_s": 3.69,
  "peak_mb": 201.82
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
  "cpu_s": 308.04,
  "peak_mb": 342.15
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
  "cpu_s": 860.8,
  "peak_mb": 415.09
 },
 "varshney2022": {
  "cpu_s": 3052.56,
  "peak_mb": 1053.18
 },
 "varshney2022/ablation": {
  "cpu_s": 23.66,
  "peak_mb": 177.83
 },
 "varshney2022/alg_stat": {
  "cpu_s": 11.74,
  "peak_mb": 193.77
 },
 "varshney2022/audit": {
  "cpu_s": 57.77,
  "peak_mb": 165.2
 },
 "varshney2022/bound_vs_run": {
  "cpu_s": 18.27,
  "peak_mb": 179.32
 },
 "varshney2022/clip_path": {
  "cpu_s": 37.93,
  "peak_mb": 267.77
 },
 "varshney2022/ext_large": {
  "cpu_s": 33.72,
  "peak_mb": 176.26
 },
 "varshney2022/ext_orders": {
  "cpu_s": 7.07,
  "peak_mb": 242.1
 },
 "varshney2022/ext_privacy": {
  "cpu_s": 237.54,
  "peak_mb": 173.65
 },
 "varshney2022/ext_thresholds": {
  "cpu_s": 177.37,
  "peak_mb": 198.28
 },
 "varshney2022/feasibility": {
  "cpu_s": 2.1,
  "peak_mb": 158.02
 },
 "varshney2022/moments": {
  "cpu_s": 2.12,
  "peak_mb": 159.96
 },
 "varshney2022/multiplier": {
  "cpu_s": 4.23,
  "peak_mb": 175.39
 },
 "varshney2022/risk_vs_d": {
  "cpu_s": 394.11,
  "peak_mb": 532.01
 },
 "varshney2022/risk_vs_eps": {
  "cpu_s": 75.13,
  "peak_mb": 172.52
 },
 "varshney2022/risk_vs_kappa": {
  "cpu_s": 300.88,
  "peak_mb": 207.54
 },
 "varshney2022/risk_vs_n": {
  "cpu_s": 604.74,
  "peak_mb": 1053.18
 },
 "varshney2022/risk_vs_sigma": {
  "cpu_s": 25.62,
  "peak_mb": 169.51
 },
 "varshney2022/sample_complexity": {
  "cpu_s": 646.53,
  "peak_mb": 250.42
 },
 "varshney2022/ssgd": {
  "cpu_s": 102.39,
  "peak_mb": 968.67
 },
 "varshney2022/step_size": {
  "cpu_s": 46.38,
  "peak_mb": 475.27
 },
 "varshney2022/table_bounds": {
  "cpu_s": 0.98,
  "peak_mb": 111.21
 },
 "varshney2022/tails": {
  "cpu_s": 11.38,
  "peak_mb": 158.66
 },
 "wang2026": {
  "cpu_s": 2235.71,
  "peak_mb": 2749.44
 },
 "wang2026/admissible_width": {
  "cpu_s": 4.49,
  "peak_mb": 227.36
 },
 "wang2026/bound_vs_run": {
  "cpu_s": 17.45,
  "peak_mb": 200.09
 },
 "wang2026/clipping": {
  "cpu_s": 20.81,
  "peak_mb": 158.44
 },
 "wang2026/closed_form_validity": {
  "cpu_s": 112.1,
  "peak_mb": 2026.09
 },
 "wang2026/comparator": {
  "cpu_s": 19.84,
  "peak_mb": 211.35
 },
 "wang2026/ext_proof": {
  "cpu_s": 94.04,
  "peak_mb": 455.69
 },
 "wang2026/ext_window": {
  "cpu_s": 206.72,
  "peak_mb": 194.25
 },
 "wang2026/ext_window_rates": {
  "cpu_s": 788.98,
  "peak_mb": 603.75
 },
 "wang2026/fig01": {
  "cpu_s": 259.11,
  "peak_mb": 204.2
 },
 "wang2026/initialisation": {
  "cpu_s": 17.88,
  "peak_mb": 206.45
 },
 "wang2026/kan_lambda": {
  "cpu_s": 270.37,
  "peak_mb": 216.41
 },
 "wang2026/kappa_tables": {
  "cpu_s": 195.1,
  "peak_mb": 754.36
 },
 "wang2026/lambda_tradeoff": {
  "cpu_s": 5.54,
  "peak_mb": 200.12
 },
 "wang2026/sampling_counterexample": {
  "cpu_s": 13.59,
  "peak_mb": 199.36
 },
 "wang2026/stability": {
  "cpu_s": 7.79,
  "peak_mb": 191.02
 },
 "wang2026/table_rates": {
  "cpu_s": 0.79,
  "peak_mb": 94.75
 }
};
