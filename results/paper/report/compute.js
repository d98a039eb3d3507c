window.dpdescentCompute = {
 "": {
  "cpu_s": 6.54,
  "peak_mb": 150.09
 },
 "all stages": {
  "cpu_s": 13915.72,
  "peak_mb": 1952.45
 },
 "brown2024": {
  "cpu_s": 2615.72,
  "peak_mb": 1952.45
 },
 "brown2024/ext_author_profile": {
  "cpu_s": 121.04,
  "peak_mb": 673.88
 },
 "brown2024/ext_large_dimension": {
  "cpu_s": 10.32,
  "peak_mb": 127.31
 },
 "brown2024/ext_law": {
  "cpu_s": 7.9,
  "peak_mb": 513.88
 },
 "brown2024/ext_no_clipping": {
  "cpu_s": 17.61,
  "peak_mb": 240.71
 },
 "brown2024/ext_outliers": {
  "cpu_s": 194.96,
  "peak_mb": 135.34
 },
 "brown2024/ext_small_noise": {
  "cpu_s": 23.86,
  "peak_mb": 129.11
 },
 "brown2024/fig01": {
  "cpu_s": 233.03,
  "peak_mb": 889.76
 },
 "brown2024/fig02": {
  "cpu_s": 17.3,
  "peak_mb": 138.71
 },
 "brown2024/fig03": {
  "cpu_s": 90.41,
  "peak_mb": 165.06
 },
 "brown2024/fig04": {
  "cpu_s": 47.94,
  "peak_mb": 144.37
 },
 "brown2024/fig05": {
  "cpu_s": 171.73,
  "peak_mb": 561.62
 },
 "brown2024/fig06": {
  "cpu_s": 210.21,
  "peak_mb": 563.32
 },
 "brown2024/fig07": {
  "cpu_s": 51.61,
  "peak_mb": 131.92
 },
 "brown2024/fig08": {
  "cpu_s": 424.58,
  "peak_mb": 1952.45
 },
 "brown2024/fig09": {
  "cpu_s": 385.01,
  "peak_mb": 890.52
 },
 "brown2024/fig10": {
  "cpu_s": 221.77,
  "peak_mb": 561.67
 },
 "brown2024/fig11": {
  "cpu_s": 188.77,
  "peak_mb": 563.52
 },
 "brown2024/table_preliminaries": {
  "cpu_s": 5.79,
  "peak_mb": 122.86
 },
 "brown2024/table_proofs": {
  "cpu_s": 73.74,
  "peak_mb": 190.39
 },
 "choquettechoo2023": {
  "cpu_s": 1428.15,
  "peak_mb": 422.68
 },
 "choquettechoo2023/ext_anti_pgd": {
  "cpu_s": 3.46,
  "peak_mb": 136.57
 },
 "choquettechoo2023/ext_finite_time": {
  "cpu_s": 24.06,
  "peak_mb": 185.67
 },
 "choquettechoo2023/ext_gradients": {
  "cpu_s": 34.3,
  "peak_mb": 257.76
 },
 "choquettechoo2023/ext_mean_estimation": {
  "cpu_s": 4.07,
  "peak_mb": 270.34
 },
 "choquettechoo2023/ext_nu": {
  "cpu_s": 2.61,
  "peak_mb": 133.66
 },
 "choquettechoo2023/ext_prefix_sums": {
  "cpu_s": 183.57,
  "peak_mb": 376.11
 },
 "choquettechoo2023/ext_spectra": {
  "cpu_s": 3.44,
  "peak_mb": 134.61
 },
 "choquettechoo2023/fig01": {
  "cpu_s": 2.79,
  "peak_mb": 133.74
 },
 "choquettechoo2023/fig02": {
  "cpu_s": 163.08,
  "peak_mb": 422.68
 },
 "choquettechoo2023/fig03": {
  "cpu_s": 6.91,
  "peak_mb": 153.08
 },
 "choquettechoo2023/fig04a": {
  "cpu_s": 785.91,
  "peak_mb": 165.38
 },
 "choquettechoo2023/fig04b": {
  "cpu_s": 112.67,
  "peak_mb": 255.78
 },
 "choquettechoo2023/table1": {
  "cpu_s": 1.21,
  "peak_mb": 108.85
 },
 "choquettechoo2023/table2": {
  "cpu_s": 1.21,
  "peak_mb": 111.33
 },
 "choquettechoo2023/table3": {
  "cpu_s": 3.21,
  "peak_mb": 131.89
 },
 "choquettechoo2023/table4": {
  "cpu_s": 1.23,
  "peak_mb": 107.63
 },
 "liang2025": {
  "cpu_s": 933.3,
  "peak_mb": 991.82
 },
 "liang2025/angrist": {
  "cpu_s": 0.15,
  "peak_mb": 3.2
 },
 "liang2025/angrist_all": {
  "cpu_s": 0.14,
  "peak_mb": 3.29
 },
 "liang2025/angrist_kids": {
  "cpu_s": 0.16,
  "peak_mb": 3.17
 },
 "liang2025/angrist_worked": {
  "cpu_s": 0.12,
  "peak_mb": 3.16
 },
 "liang2025/card": {
  "cpu_s": 0.14,
  "peak_mb": 0.0
 },
 "liang2025/ext_angrist_subsets": {
  "cpu_s": 3.87,
  "peak_mb": 130.13
 },
 "liang2025/ext_calibration": {
  "cpu_s": 12.86,
  "peak_mb": 132.76
 },
 "liang2025/ext_consistency": {
  "cpu_s": 11.82,
  "peak_mb": 128.5
 },
 "liang2025/ext_friendlycore": {
  "cpu_s": 17.82,
  "peak_mb": 132.44
 },
 "liang2025/ext_long_runs": {
  "cpu_s": 16.53,
  "peak_mb": 182.86
 },
 "liang2025/ext_overidentified": {
  "cpu_s": 6.06,
  "peak_mb": 134.82
 },
 "liang2025/ext_parameter_draws": {
  "cpu_s": 34.34,
  "peak_mb": 148.38
 },
 "liang2025/ext_weak_instrument": {
  "cpu_s": 47.02,
  "peak_mb": 132.96
 },
 "liang2025/fig01": {
  "cpu_s": 1.01,
  "peak_mb": 123.87
 },
 "liang2025/fig02": {
  "cpu_s": 1.59,
  "peak_mb": 130.83
 },
 "liang2025/fig03": {
  "cpu_s": 225.17,
  "peak_mb": 148.48
 },
 "liang2025/fig04": {
  "cpu_s": 92.25,
  "peak_mb": 140.51
 },
 "liang2025/fig05": {
  "cpu_s": 9.26,
  "peak_mb": 240.85
 },
 "liang2025/fig06": {
  "cpu_s": 186.31,
  "peak_mb": 138.89
 },
 "liang2025/fig07": {
  "cpu_s": 8.25,
  "peak_mb": 133.22
 },
 "liang2025/fig08": {
  "cpu_s": 5.81,
  "peak_mb": 130.57
 },
 "liang2025/fig09": {
  "cpu_s": 8.97,
  "peak_mb": 134.73
 },
 "liang2025/fig10": {
  "cpu_s": 8.61,
  "peak_mb": 240.42
 },
 "liang2025/fig11": {
  "cpu_s": 8.95,
  "peak_mb": 240.82
 },
 "liang2025/fig13": {
  "cpu_s": 49.72,
  "peak_mb": 991.82
 },
 "liang2025/table_lemmas": {
  "cpu_s": 20.11,
  "peak_mb": 82.97
 },
 "liang2025/table_rates": {
  "cpu_s": 29.93,
  "peak_mb": 239.11
 },
 "liang2025/table_release_beta_only": {
  "cpu_s": 2.71,
  "peak_mb": 83.12
 },
 "ours": {
  "cpu_s": 3170.06,
  "peak_mb": 578.57
 },
 "ours/calibration": {
  "cpu_s": 61.85,
  "peak_mb": 149.95
 },
 "ours/correlated_full_batch": {
  "cpu_s": 17.85,
  "peak_mb": 187.85
 },
 "ours/decision": {
  "cpu_s": 4.02,
  "peak_mb": 150.25
 },
 "ours/iv_coverage": {
  "cpu_s": 580.92,
  "peak_mb": 212.26
 },
 "ours/iv_length": {
  "cpu_s": 30.29,
  "peak_mb": 157.35
 },
 "ours/iv_path_law": {
  "cpu_s": 186.89,
  "peak_mb": 146.04
 },
 "ours/iv_real": {
  "cpu_s": 226.53,
  "peak_mb": 146.03
 },
 "ours/iv_weak": {
  "cpu_s": 409.38,
  "peak_mb": 169.79
 },
 "ours/real_tables": {
  "cpu_s": 304.6,
  "peak_mb": 150.72
 },
 "ours/schedule": {
  "cpu_s": 234.32,
  "peak_mb": 153.96
 },
 "ours/win_map": {
  "cpu_s": 705.29,
  "peak_mb": 228.4
 },
 "varshney2022": {
  "cpu_s": 2087.31,
  "peak_mb": 1049.31
 },
 "varshney2022/ablation": {
  "cpu_s": 39.86,
  "peak_mb": 151.2
 },
 "varshney2022/alg_stat": {
  "cpu_s": 14.22,
  "peak_mb": 178.52
 },
 "varshney2022/audit": {
  "cpu_s": 60.07,
  "peak_mb": 136.03
 },
 "varshney2022/bound_vs_run": {
  "cpu_s": 29.65,
  "peak_mb": 176.42
 },
 "varshney2022/clip_path": {
  "cpu_s": 34.1,
  "peak_mb": 203.55
 },
 "varshney2022/ext_orders": {
  "cpu_s": 14.18,
  "peak_mb": 212.94
 },
 "varshney2022/ext_privacy": {
  "cpu_s": 58.8,
  "peak_mb": 166.24
 },
 "varshney2022/ext_thresholds": {
  "cpu_s": 72.35,
  "peak_mb": 195.44
 },
 "varshney2022/feasibility": {
  "cpu_s": 2.76,
  "peak_mb": 132.96
 },
 "varshney2022/moments": {
  "cpu_s": 2.95,
  "peak_mb": 137.97
 },
 "varshney2022/multiplier": {
  "cpu_s": 21.25,
  "peak_mb": 138.46
 },
 "varshney2022/risk_vs_d": {
  "cpu_s": 249.06,
  "peak_mb": 527.1
 },
 "varshney2022/risk_vs_eps": {
  "cpu_s": 84.37,
  "peak_mb": 141.12
 },
 "varshney2022/risk_vs_kappa": {
  "cpu_s": 67.97,
  "peak_mb": 189.3
 },
 "varshney2022/risk_vs_n": {
  "cpu_s": 440.47,
  "peak_mb": 1049.31
 },
 "varshney2022/risk_vs_sigma": {
  "cpu_s": 32.12,
  "peak_mb": 137.87
 },
 "varshney2022/sample_complexity": {
  "cpu_s": 441.66,
  "peak_mb": 248.05
 },
 "varshney2022/ssgd": {
  "cpu_s": 124.39,
  "peak_mb": 964.73
 },
 "varshney2022/step_size": {
  "cpu_s": 48.42,
  "peak_mb": 471.32
 },
 "varshney2022/table_bounds": {
  "cpu_s": 1.18,
  "peak_mb": 100.27
 },
 "varshney2022/tails": {
  "cpu_s": 19.2,
  "peak_mb": 132.57
 },
 "wang2026": {
  "cpu_s": 3674.64,
  "peak_mb": 1300.55
 },
 "wang2026/admissible_width": {
  "cpu_s": 8.83,
  "peak_mb": 158.91
 },
 "wang2026/batch": {
  "cpu_s": 49.55,
  "peak_mb": 143.65
 },
 "wang2026/bound_vs_run": {
  "cpu_s": 17.73,
  "peak_mb": 162.68
 },
 "wang2026/clipping": {
  "cpu_s": 51.67,
  "peak_mb": 135.2
 },
 "wang2026/closed_form_validity": {
  "cpu_s": 68.5,
  "peak_mb": 561.79
 },
 "wang2026/comparator": {
  "cpu_s": 23.52,
  "peak_mb": 178.4
 },
 "wang2026/eps_and_d": {
  "cpu_s": 182.65,
  "peak_mb": 236.29
 },
 "wang2026/ext_proof": {
  "cpu_s": 64.98,
  "peak_mb": 401.07
 },
 "wang2026/ext_window": {
  "cpu_s": 231.18,
  "peak_mb": 179.07
 },
 "wang2026/ext_window_rates": {
  "cpu_s": 239.96,
  "peak_mb": 573.04
 },
 "wang2026/fig01": {
  "cpu_s": 657.62,
  "peak_mb": 145.02
 },
 "wang2026/fixed_kappa": {
  "cpu_s": 25.88,
  "peak_mb": 141.66
 },
 "wang2026/initialisation": {
  "cpu_s": 21.93,
  "peak_mb": 137.75
 },
 "wang2026/kan_lambda": {
  "cpu_s": 638.57,
  "peak_mb": 166.89
 },
 "wang2026/kappa_tables": {
  "cpu_s": 462.51,
  "peak_mb": 581.89
 },
 "wang2026/lambda_tradeoff": {
  "cpu_s": 7.16,
  "peak_mb": 142.02
 },
 "wang2026/private_rate_n": {
  "cpu_s": 244.81,
  "peak_mb": 168.19
 },
 "wang2026/projection": {
  "cpu_s": 80.16,
  "peak_mb": 145.62
 },
 "wang2026/rate_T": {
  "cpu_s": 56.82,
  "peak_mb": 136.18
 },
 "wang2026/rate_minibatch": {
  "cpu_s": 92.56,
  "peak_mb": 157.59
 },
 "wang2026/rate_n": {
  "cpu_s": 62.02,
  "peak_mb": 132.3
 },
 "wang2026/sampling_counterexample": {
  "cpu_s": 18.92,
  "peak_mb": 159.23
 },
 "wang2026/stability": {
  "cpu_s": 16.75,
  "peak_mb": 134.75
 },
 "wang2026/table_rates": {
  "cpu_s": 0.99,
  "peak_mb": 84.5
 },
 "wang2026/width": {
  "cpu_s": 89.53,
  "peak_mb": 169.89
 }
};
