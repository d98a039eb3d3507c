window.dpdescentCompute = {
 "": {
  "cpu_s": 8.64,
  "peak_mb": 205.61
 },
 "all stages": {
  "cpu_s": 8364.13,
  "peak_mb": 1951.75
 },
 "brown2024": {
  "cpu_s": 2304.31,
  "peak_mb": 1951.75
 },
 "brown2024/ext_author_profile": {
  "cpu_s": 104.26,
  "peak_mb": 675.19
 },
 "brown2024/ext_no_clipping": {
  "cpu_s": 17.01,
  "peak_mb": 240.71
 },
 "brown2024/ext_outliers": {
  "cpu_s": 195.8,
  "peak_mb": 138.44
 },
 "brown2024/ext_small_noise": {
  "cpu_s": 23.56,
  "peak_mb": 131.61
 },
 "brown2024/fig01": {
  "cpu_s": 234.99,
  "peak_mb": 890.9
 },
 "brown2024/fig02": {
  "cpu_s": 14.81,
  "peak_mb": 138.61
 },
 "brown2024/fig03": {
  "cpu_s": 48.78,
  "peak_mb": 154.25
 },
 "brown2024/fig04": {
  "cpu_s": 47.26,
  "peak_mb": 146.71
 },
 "brown2024/fig05": {
  "cpu_s": 171.4,
  "peak_mb": 561.62
 },
 "brown2024/fig06": {
  "cpu_s": 209.38,
  "peak_mb": 563.32
 },
 "brown2024/fig07": {
  "cpu_s": 49.04,
  "peak_mb": 134.59
 },
 "brown2024/fig08": {
  "cpu_s": 340.45,
  "peak_mb": 1951.75
 },
 "brown2024/fig09": {
  "cpu_s": 351.04,
  "peak_mb": 891.35
 },
 "brown2024/fig10": {
  "cpu_s": 221.46,
  "peak_mb": 561.67
 },
 "brown2024/fig11": {
  "cpu_s": 189.14,
  "peak_mb": 563.52
 },
 "brown2024/table_preliminaries": {
  "cpu_s": 5.83,
  "peak_mb": 97.5
 },
 "choquettechoo2023": {
  "cpu_s": 1270.58,
  "peak_mb": 422.68
 },
 "choquettechoo2023/ext_anti_pgd": {
  "cpu_s": 4.56,
  "peak_mb": 139.21
 },
 "choquettechoo2023/ext_finite_time": {
  "cpu_s": 24.45,
  "peak_mb": 185.67
 },
 "choquettechoo2023/ext_mean_estimation": {
  "cpu_s": 4.95,
  "peak_mb": 270.34
 },
 "choquettechoo2023/ext_nu": {
  "cpu_s": 2.68,
  "peak_mb": 135.73
 },
 "choquettechoo2023/ext_prefix_sums": {
  "cpu_s": 183.52,
  "peak_mb": 376.11
 },
 "choquettechoo2023/ext_spectra": {
  "cpu_s": 3.38,
  "peak_mb": 137.28
 },
 "choquettechoo2023/fig01": {
  "cpu_s": 2.22,
  "peak_mb": 135.91
 },
 "choquettechoo2023/fig02": {
  "cpu_s": 163.6,
  "peak_mb": 422.68
 },
 "choquettechoo2023/fig03": {
  "cpu_s": 6.51,
  "peak_mb": 139.5
 },
 "choquettechoo2023/fig04a": {
  "cpu_s": 666.0,
  "peak_mb": 167.58
 },
 "choquettechoo2023/fig04b": {
  "cpu_s": 113.03,
  "peak_mb": 255.78
 },
 "choquettechoo2023/table1": {
  "cpu_s": 1.27,
  "peak_mb": 108.85
 },
 "choquettechoo2023/table2": {
  "cpu_s": 1.43,
  "peak_mb": 111.33
 },
 "choquettechoo2023/table3": {
  "cpu_s": 1.26,
  "peak_mb": 107.46
 },
 "choquettechoo2023/table4": {
  "cpu_s": 1.19,
  "peak_mb": 107.63
 },
 "liang2025": {
  "cpu_s": 696.24,
  "peak_mb": 425.48
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
  "cpu_s": 4.41,
  "peak_mb": 132.59
 },
 "liang2025/ext_calibration": {
  "cpu_s": 4.83,
  "peak_mb": 133.59
 },
 "liang2025/ext_friendlycore": {
  "cpu_s": 13.19,
  "peak_mb": 132.82
 },
 "liang2025/ext_overidentified": {
  "cpu_s": 6.11,
  "peak_mb": 137.38
 },
 "liang2025/ext_parameter_draws": {
  "cpu_s": 14.59,
  "peak_mb": 142.91
 },
 "liang2025/ext_weak_instrument": {
  "cpu_s": 47.13,
  "peak_mb": 133.9
 },
 "liang2025/fig01": {
  "cpu_s": 0.94,
  "peak_mb": 125.29
 },
 "liang2025/fig02": {
  "cpu_s": 1.52,
  "peak_mb": 132.74
 },
 "liang2025/fig03": {
  "cpu_s": 177.29,
  "peak_mb": 146.1
 },
 "liang2025/fig04": {
  "cpu_s": 72.87,
  "peak_mb": 143.36
 },
 "liang2025/fig05": {
  "cpu_s": 4.15,
  "peak_mb": 155.81
 },
 "liang2025/fig06": {
  "cpu_s": 186.44,
  "peak_mb": 140.94
 },
 "liang2025/fig07": {
  "cpu_s": 8.67,
  "peak_mb": 136.35
 },
 "liang2025/fig08": {
  "cpu_s": 6.13,
  "peak_mb": 133.12
 },
 "liang2025/fig09": {
  "cpu_s": 8.82,
  "peak_mb": 137.3
 },
 "liang2025/fig10": {
  "cpu_s": 4.16,
  "peak_mb": 155.47
 },
 "liang2025/fig11": {
  "cpu_s": 4.05,
  "peak_mb": 155.64
 },
 "liang2025/fig13": {
  "cpu_s": 7.66,
  "peak_mb": 257.04
 },
 "liang2025/table_lemmas": {
  "cpu_s": 19.4,
  "peak_mb": 80.04
 },
 "liang2025/table_release_beta_only": {
  "cpu_s": 2.72,
  "peak_mb": 79.86
 },
 "varshney2022": {
  "cpu_s": 1804.84,
  "peak_mb": 1051.37
 },
 "varshney2022/ablation": {
  "cpu_s": 12.64,
  "peak_mb": 153.98
 },
 "varshney2022/alg_stat": {
  "cpu_s": 13.62,
  "peak_mb": 179.25
 },
 "varshney2022/audit": {
  "cpu_s": 28.43,
  "peak_mb": 133.12
 },
 "varshney2022/bound_vs_run": {
  "cpu_s": 29.35,
  "peak_mb": 176.42
 },
 "varshney2022/clip_path": {
  "cpu_s": 11.35,
  "peak_mb": 151.38
 },
 "varshney2022/feasibility": {
  "cpu_s": 2.26,
  "peak_mb": 135.83
 },
 "varshney2022/moments": {
  "cpu_s": 4.19,
  "peak_mb": 140.48
 },
 "varshney2022/multiplier": {
  "cpu_s": 21.2,
  "peak_mb": 141.45
 },
 "varshney2022/risk_vs_d": {
  "cpu_s": 249.09,
  "peak_mb": 527.1
 },
 "varshney2022/risk_vs_eps": {
  "cpu_s": 84.21,
  "peak_mb": 141.12
 },
 "varshney2022/risk_vs_kappa": {
  "cpu_s": 60.46,
  "peak_mb": 210.39
 },
 "varshney2022/risk_vs_n": {
  "cpu_s": 490.59,
  "peak_mb": 1051.37
 },
 "varshney2022/risk_vs_sigma": {
  "cpu_s": 32.53,
  "peak_mb": 139.72
 },
 "varshney2022/sample_complexity": {
  "cpu_s": 441.94,
  "peak_mb": 248.05
 },
 "varshney2022/ssgd": {
  "cpu_s": 98.62,
  "peak_mb": 807.91
 },
 "varshney2022/step_size": {
  "cpu_s": 48.32,
  "peak_mb": 471.32
 },
 "varshney2022/table_bounds": {
  "cpu_s": 1.11,
  "peak_mb": 103.0
 },
 "varshney2022/tails": {
  "cpu_s": 10.19,
  "peak_mb": 138.45
 },
 "wang2026": {
  "cpu_s": 2279.52,
  "peak_mb": 967.29
 },
 "wang2026/admissible_width": {
  "cpu_s": 6.09,
  "peak_mb": 161.64
 },
 "wang2026/batch": {
  "cpu_s": 19.52,
  "peak_mb": 145.92
 },
 "wang2026/bound_vs_run": {
  "cpu_s": 16.37,
  "peak_mb": 165.72
 },
 "wang2026/clipping": {
  "cpu_s": 19.05,
  "peak_mb": 139.56
 },
 "wang2026/closed_form_validity": {
  "cpu_s": 40.94,
  "peak_mb": 544.11
 },
 "wang2026/comparator": {
  "cpu_s": 19.4,
  "peak_mb": 181.67
 },
 "wang2026/eps_and_d": {
  "cpu_s": 160.62,
  "peak_mb": 238.74
 },
 "wang2026/fig01": {
  "cpu_s": 299.73,
  "peak_mb": 147.96
 },
 "wang2026/fixed_kappa": {
  "cpu_s": 21.9,
  "peak_mb": 145.21
 },
 "wang2026/initialisation": {
  "cpu_s": 19.1,
  "peak_mb": 138.54
 },
 "wang2026/kan_lambda": {
  "cpu_s": 312.16,
  "peak_mb": 171.22
 },
 "wang2026/kappa_tables": {
  "cpu_s": 503.81,
  "peak_mb": 354.69
 },
 "wang2026/lambda_tradeoff": {
  "cpu_s": 4.13,
  "peak_mb": 146.4
 },
 "wang2026/private_rate_n": {
  "cpu_s": 213.9,
  "peak_mb": 159.12
 },
 "wang2026/projection": {
  "cpu_s": 35.97,
  "peak_mb": 149.27
 },
 "wang2026/rate_T": {
  "cpu_s": 51.78,
  "peak_mb": 138.45
 },
 "wang2026/rate_minibatch": {
  "cpu_s": 99.64,
  "peak_mb": 160.18
 },
 "wang2026/rate_n": {
  "cpu_s": 60.56,
  "peak_mb": 134.05
 },
 "wang2026/sampling_counterexample": {
  "cpu_s": 17.07,
  "peak_mb": 161.81
 },
 "wang2026/stability": {
  "cpu_s": 10.03,
  "peak_mb": 136.6
 },
 "wang2026/table_rates": {
  "cpu_s": 1.27,
  "peak_mb": 107.63
 },
 "wang2026/width": {
  "cpu_s": 81.8,
  "peak_mb": 171.2
 }
};
