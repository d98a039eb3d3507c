window.dpdescentCompute = {
 "": {
  "cpu_s": 12.29,
  "peak_mb": 277.56
 },
 "all stages": {
  "cpu_s": 8965.56,
  "peak_mb": 2538.23
 },
 "brown2024": {
  "cpu_s": 1964.96,
  "peak_mb": 2068.3
 },
 "brown2024/ext_author_profile": {
  "cpu_s": 106.86,
  "peak_mb": 675.2
 },
 "brown2024/ext_large_dimension": {
  "cpu_s": 10.72,
  "peak_mb": 125.99
 },
 "brown2024/ext_law": {
  "cpu_s": 6.98,
  "peak_mb": 472.52
 },
 "brown2024/ext_no_clipping": {
  "cpu_s": 18.5,
  "peak_mb": 240.9
 },
 "brown2024/ext_outliers": {
  "cpu_s": 196.73,
  "peak_mb": 138.5
 },
 "brown2024/ext_small_noise": {
  "cpu_s": 24.37,
  "peak_mb": 129.73
 },
 "brown2024/fig01": {
  "cpu_s": 169.35,
  "peak_mb": 948.88
 },
 "brown2024/fig02": {
  "cpu_s": 16.25,
  "peak_mb": 137.41
 },
 "brown2024/fig03": {
  "cpu_s": 87.48,
  "peak_mb": 164.53
 },
 "brown2024/fig04": {
  "cpu_s": 52.1,
  "peak_mb": 144.66
 },
 "brown2024/fig05": {
  "cpu_s": 190.18,
  "peak_mb": 563.01
 },
 "brown2024/fig06": {
  "cpu_s": 6.08,
  "peak_mb": 150.79
 },
 "brown2024/fig07": {
  "cpu_s": 53.26,
  "peak_mb": 133.91
 },
 "brown2024/fig08": {
  "cpu_s": 376.02,
  "peak_mb": 2068.3
 },
 "brown2024/fig09": {
  "cpu_s": 291.21,
  "peak_mb": 970.3
 },
 "brown2024/fig10": {
  "cpu_s": 204.1,
  "peak_mb": 563.24
 },
 "brown2024/fig11": {
  "cpu_s": 5.74,
  "peak_mb": 151.11
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
  "cpu_s": 997.01,
  "peak_mb": 460.15
 },
 "choquettechoo2023/ext_anti_pgd": {
  "cpu_s": 2.86,
  "peak_mb": 137.09
 },
 "choquettechoo2023/ext_finite_time": {
  "cpu_s": 24.49,
  "peak_mb": 183.16
 },
 "choquettechoo2023/ext_gradients": {
  "cpu_s": 35.34,
  "peak_mb": 257.42
 },
 "choquettechoo2023/ext_mean_estimation": {
  "cpu_s": 4.12,
  "peak_mb": 267.24
 },
 "choquettechoo2023/ext_nu": {
  "cpu_s": 2.35,
  "peak_mb": 135.56
 },
 "choquettechoo2023/ext_prefix_sums": {
  "cpu_s": 196.37,
  "peak_mb": 373.2
 },
 "choquettechoo2023/ext_spectra": {
  "cpu_s": 3.62,
  "peak_mb": 137.59
 },
 "choquettechoo2023/fig01": {
  "cpu_s": 2.67,
  "peak_mb": 134.07
 },
 "choquettechoo2023/fig02": {
  "cpu_s": 168.72,
  "peak_mb": 419.11
 },
 "choquettechoo2023/fig03": {
  "cpu_s": 6.83,
  "peak_mb": 150.24
 },
 "choquettechoo2023/fig04a": {
  "cpu_s": 477.42,
  "peak_mb": 460.15
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
  "cpu_s": 844.14,
  "peak_mb": 1079.12
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
  "cpu_s": 4.73,
  "peak_mb": 132.14
 },
 "liang2025/ext_calibration": {
  "cpu_s": 5.98,
  "peak_mb": 132.56
 },
 "liang2025/ext_consistency": {
  "cpu_s": 6.07,
  "peak_mb": 126.89
 },
 "liang2025/ext_friendlycore": {
  "cpu_s": 14.57,
  "peak_mb": 141.34
 },
 "liang2025/ext_long_runs": {
  "cpu_s": 15.92,
  "peak_mb": 183.94
 },
 "liang2025/ext_overidentified": {
  "cpu_s": 6.89,
  "peak_mb": 134.66
 },
 "liang2025/ext_parameter_draws": {
  "cpu_s": 33.52,
  "peak_mb": 144.54
 },
 "liang2025/ext_weak_instrument": {
  "cpu_s": 20.7,
  "peak_mb": 134.81
 },
 "liang2025/fig01": {
  "cpu_s": 1.07,
  "peak_mb": 126.6
 },
 "liang2025/fig02": {
  "cpu_s": 1.65,
  "peak_mb": 126.99
 },
 "liang2025/fig03": {
  "cpu_s": 246.7,
  "peak_mb": 155.71
 },
 "liang2025/fig04": {
  "cpu_s": 75.93,
  "peak_mb": 139.54
 },
 "liang2025/fig05": {
  "cpu_s": 10.95,
  "peak_mb": 241.39
 },
 "liang2025/fig06": {
  "cpu_s": 178.05,
  "peak_mb": 138.52
 },
 "liang2025/fig07": {
  "cpu_s": 6.91,
  "peak_mb": 134.61
 },
 "liang2025/fig08": {
  "cpu_s": 6.2,
  "peak_mb": 128.86
 },
 "liang2025/fig09": {
  "cpu_s": 9.43,
  "peak_mb": 134.52
 },
 "liang2025/fig10": {
  "cpu_s": 11.45,
  "peak_mb": 241.59
 },
 "liang2025/fig11": {
  "cpu_s": 10.27,
  "peak_mb": 240.64
 },
 "liang2025/fig13": {
  "cpu_s": 53.41,
  "peak_mb": 1079.12
 },
 "liang2025/table_lemmas": {
  "cpu_s": 16.35,
  "peak_mb": 102.67
 },
 "liang2025/table_rates": {
  "cpu_s": 27.17,
  "peak_mb": 239.19
 },
 "liang2025/table_release_beta_only": {
  "cpu_s": 2.6,
  "peak_mb": 92.31
 },
 "ours": {
  "cpu_s": 1681.08,
  "peak_mb": 900.04
 },
 "ours/calibration": {
  "cpu_s": 32.18,
  "peak_mb": 168.98
 },
 "ours/correlated_full_batch": {
  "cpu_s": 8.42,
  "peak_mb": 188.67
 },
 "ours/decision": {
  "cpu_s": 2.6,
  "peak_mb": 166.47
 },
 "ours/iv_coverage": {
  "cpu_s": 395.52,
  "peak_mb": 205.82
 },
 "ours/iv_length": {
  "cpu_s": 19.93,
  "peak_mb": 158.84
 },
 "ours/iv_path_law": {
  "cpu_s": 87.17,
  "peak_mb": 158.66
 },
 "ours/iv_real": {
  "cpu_s": 100.32,
  "peak_mb": 168.09
 },
 "ours/iv_weak": {
  "cpu_s": 190.57,
  "peak_mb": 183.48
 },
 "ours/real_tables": {
  "cpu_s": 138.69,
  "peak_mb": 197.83
 },
 "ours/schedule": {
  "cpu_s": 105.7,
  "peak_mb": 172.83
 },
 "ours/win_map": {
  "cpu_s": 339.88,
  "peak_mb": 200.95
 },
 "varshney2022": {
  "cpu_s": 1869.47,
  "peak_mb": 1044.3
 },
 "varshney2022/ablation": {
  "cpu_s": 34.67,
  "peak_mb": 149.97
 },
 "varshney2022/alg_stat": {
  "cpu_s": 13.36,
  "peak_mb": 166.29
 },
 "varshney2022/audit": {
  "cpu_s": 66.63,
  "peak_mb": 136.63
 },
 "varshney2022/bound_vs_run": {
  "cpu_s": 21.22,
  "peak_mb": 169.49
 },
 "varshney2022/clip_path": {
  "cpu_s": 36.78,
  "peak_mb": 199.34
 },
 "varshney2022/ext_orders": {
  "cpu_s": 8.43,
  "peak_mb": 218.21
 },
 "varshney2022/ext_privacy": {
  "cpu_s": 49.04,
  "peak_mb": 161.57
 },
 "varshney2022/ext_thresholds": {
  "cpu_s": 53.78,
  "peak_mb": 188.18
 },
 "varshney2022/feasibility": {
  "cpu_s": 2.79,
  "peak_mb": 133.53
 },
 "varshney2022/moments": {
  "cpu_s": 2.84,
  "peak_mb": 137.98
 },
 "varshney2022/multiplier": {
  "cpu_s": 4.01,
  "peak_mb": 145.1
 },
 "varshney2022/risk_vs_d": {
  "cpu_s": 264.98,
  "peak_mb": 544.52
 },
 "varshney2022/risk_vs_eps": {
  "cpu_s": 67.72,
  "peak_mb": 145.72
 },
 "varshney2022/risk_vs_kappa": {
  "cpu_s": 69.67,
  "peak_mb": 186.74
 },
 "varshney2022/risk_vs_n": {
  "cpu_s": 370.01,
  "peak_mb": 1044.3
 },
 "varshney2022/risk_vs_sigma": {
  "cpu_s": 24.65,
  "peak_mb": 142.45
 },
 "varshney2022/sample_complexity": {
  "cpu_s": 346.58,
  "peak_mb": 241.97
 },
 "varshney2022/ssgd": {
  "cpu_s": 108.78,
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
  "cpu_s": 13.17,
  "peak_mb": 131.7
 },
 "wang2026": {
  "cpu_s": 1596.61,
  "peak_mb": 2538.23
 },
 "wang2026/admissible_width": {
  "cpu_s": 4.19,
  "peak_mb": 159.52
 },
 "wang2026/bound_vs_run": {
  "cpu_s": 16.98,
  "peak_mb": 162.46
 },
 "wang2026/clipping": {
  "cpu_s": 21.91,
  "peak_mb": 134.51
 },
 "wang2026/closed_form_validity": {
  "cpu_s": 36.6,
  "peak_mb": 556.87
 },
 "wang2026/comparator": {
  "cpu_s": 22.82,
  "peak_mb": 178.52
 },
 "wang2026/ext_proof": {
  "cpu_s": 67.03,
  "peak_mb": 420.21
 },
 "wang2026/ext_window": {
  "cpu_s": 232.33,
  "peak_mb": 178.76
 },
 "wang2026/ext_window_rates": {
  "cpu_s": 244.97,
  "peak_mb": 569.59
 },
 "wang2026/fig01": {
  "cpu_s": 267.36,
  "peak_mb": 144.98
 },
 "wang2026/initialisation": {
  "cpu_s": 16.22,
  "peak_mb": 141.32
 },
 "wang2026/kan_lambda": {
  "cpu_s": 293.15,
  "peak_mb": 164.49
 },
 "wang2026/kappa_tables": {
  "cpu_s": 206.48,
  "peak_mb": 617.01
 },
 "wang2026/lambda_tradeoff": {
  "cpu_s": 3.43,
  "peak_mb": 141.02
 },
 "wang2026/sampling_counterexample": {
  "cpu_s": 13.46,
  "peak_mb": 170.24
 },
 "wang2026/stability": {
  "cpu_s": 7.75,
  "peak_mb": 133.18
 },
 "wang2026/table_rates": {
  "cpu_s": 0.83,
  "peak_mb": 76.8
 }
};
