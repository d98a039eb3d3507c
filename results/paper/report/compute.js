window.dpdescentCompute = {
 "": {
  "cpu_s": 7.71,
  "peak_mb": 202.78
 },
 "all stages": {
  "cpu_s": 8413.72,
  "peak_mb": 1951.75
 },
 "brown2024": {
  "cpu_s": 2311.11,
  "peak_mb": 1951.75
 },
 "brown2024/ext_author_profile": {
  "cpu_s": 103.84,
  "peak_mb": 675.19
 },
 "brown2024/ext_no_clipping": {
  "cpu_s": 17.76,
  "peak_mb": 240.71
 },
 "brown2024/ext_outliers": {
  "cpu_s": 194.55,
  "peak_mb": 136.27
 },
 "brown2024/ext_small_noise": {
  "cpu_s": 24.07,
  "peak_mb": 128.1
 },
 "brown2024/fig01": {
  "cpu_s": 235.27,
  "peak_mb": 890.9
 },
 "brown2024/fig02": {
  "cpu_s": 14.84,
  "peak_mb": 139.25
 },
 "brown2024/fig03": {
  "cpu_s": 48.51,
  "peak_mb": 154.25
 },
 "brown2024/fig04": {
  "cpu_s": 48.15,
  "peak_mb": 144.75
 },
 "brown2024/fig05": {
  "cpu_s": 171.75,
  "peak_mb": 561.62
 },
 "brown2024/fig06": {
  "cpu_s": 209.92,
  "peak_mb": 563.32
 },
 "brown2024/fig07": {
  "cpu_s": 48.7,
  "peak_mb": 132.29
 },
 "brown2024/fig08": {
  "cpu_s": 340.72,
  "peak_mb": 1951.75
 },
 "brown2024/fig09": {
  "cpu_s": 350.75,
  "peak_mb": 891.35
 },
 "brown2024/fig10": {
  "cpu_s": 222.14,
  "peak_mb": 561.67
 },
 "brown2024/fig11": {
  "cpu_s": 189.01,
  "peak_mb": 563.52
 },
 "brown2024/table_preliminaries": {
  "cpu_s": 5.83,
  "peak_mb": 147.15
 },
 "choquettechoo2023": {
  "cpu_s": 1274.24,
  "peak_mb": 422.68
 },
 "choquettechoo2023/ext_anti_pgd": {
  "cpu_s": 3.78,
  "peak_mb": 136.98
 },
 "choquettechoo2023/ext_finite_time": {
  "cpu_s": 24.58,
  "peak_mb": 185.67
 },
 "choquettechoo2023/ext_mean_estimation": {
  "cpu_s": 5.07,
  "peak_mb": 270.34
 },
 "choquettechoo2023/ext_nu": {
  "cpu_s": 2.75,
  "peak_mb": 133.89
 },
 "choquettechoo2023/ext_prefix_sums": {
  "cpu_s": 183.65,
  "peak_mb": 376.11
 },
 "choquettechoo2023/ext_spectra": {
  "cpu_s": 4.38,
  "peak_mb": 135.12
 },
 "choquettechoo2023/fig01": {
  "cpu_s": 2.95,
  "peak_mb": 134.01
 },
 "choquettechoo2023/fig02": {
  "cpu_s": 163.04,
  "peak_mb": 422.68
 },
 "choquettechoo2023/fig03": {
  "cpu_s": 6.85,
  "peak_mb": 137.73
 },
 "choquettechoo2023/fig04a": {
  "cpu_s": 666.08,
  "peak_mb": 167.58
 },
 "choquettechoo2023/fig04b": {
  "cpu_s": 112.63,
  "peak_mb": 255.78
 },
 "choquettechoo2023/table1": {
  "cpu_s": 1.31,
  "peak_mb": 108.85
 },
 "choquettechoo2023/table2": {
  "cpu_s": 1.46,
  "peak_mb": 111.33
 },
 "choquettechoo2023/table3": {
  "cpu_s": 1.27,
  "peak_mb": 107.46
 },
 "choquettechoo2023/table4": {
  "cpu_s": 1.22,
  "peak_mb": 107.63
 },
 "liang2025": {
  "cpu_s": 718.11,
  "peak_mb": 636.3
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
  "cpu_s": 4.09,
  "peak_mb": 131.0
 },
 "liang2025/ext_calibration": {
  "cpu_s": 4.86,
  "peak_mb": 133.64
 },
 "liang2025/ext_friendlycore": {
  "cpu_s": 12.44,
  "peak_mb": 131.62
 },
 "liang2025/ext_overidentified": {
  "cpu_s": 6.07,
  "peak_mb": 135.19
 },
 "liang2025/ext_parameter_draws": {
  "cpu_s": 15.24,
  "peak_mb": 140.5
 },
 "liang2025/ext_weak_instrument": {
  "cpu_s": 47.62,
  "peak_mb": 133.45
 },
 "liang2025/fig01": {
  "cpu_s": 1.13,
  "peak_mb": 126.95
 },
 "liang2025/fig02": {
  "cpu_s": 1.6,
  "peak_mb": 130.42
 },
 "liang2025/fig03": {
  "cpu_s": 176.31,
  "peak_mb": 149.31
 },
 "liang2025/fig04": {
  "cpu_s": 73.77,
  "peak_mb": 141.64
 },
 "liang2025/fig05": {
  "cpu_s": 4.25,
  "peak_mb": 153.85
 },
 "liang2025/fig06": {
  "cpu_s": 186.27,
  "peak_mb": 139.07
 },
 "liang2025/fig07": {
  "cpu_s": 8.49,
  "peak_mb": 134.22
 },
 "liang2025/fig08": {
  "cpu_s": 5.96,
  "peak_mb": 131.93
 },
 "liang2025/fig09": {
  "cpu_s": 9.57,
  "peak_mb": 135.08
 },
 "liang2025/fig10": {
  "cpu_s": 4.2,
  "peak_mb": 153.38
 },
 "liang2025/fig11": {
  "cpu_s": 4.59,
  "peak_mb": 153.43
 },
 "liang2025/fig13": {
  "cpu_s": 8.07,
  "peak_mb": 254.57
 },
 "liang2025/table_lemmas": {
  "cpu_s": 19.57,
  "peak_mb": 99.34
 },
 "liang2025/table_release_beta_only": {
  "cpu_s": 2.84,
  "peak_mb": 90.56
 },
 "varshney2022": {
  "cpu_s": 1814.46,
  "peak_mb": 1051.37
 },
 "varshney2022/ablation": {
  "cpu_s": 13.59,
  "peak_mb": 151.56
 },
 "varshney2022/alg_stat": {
  "cpu_s": 14.37,
  "peak_mb": 179.25
 },
 "varshney2022/audit": {
  "cpu_s": 28.43,
  "peak_mb": 131.54
 },
 "varshney2022/bound_vs_run": {
  "cpu_s": 29.16,
  "peak_mb": 176.42
 },
 "varshney2022/clip_path": {
  "cpu_s": 11.66,
  "peak_mb": 149.42
 },
 "varshney2022/feasibility": {
  "cpu_s": 2.72,
  "peak_mb": 134.05
 },
 "varshney2022/moments": {
  "cpu_s": 3.38,
  "peak_mb": 138.5
 },
 "varshney2022/multiplier": {
  "cpu_s": 21.69,
  "peak_mb": 139.72
 },
 "varshney2022/risk_vs_d": {
  "cpu_s": 249.43,
  "peak_mb": 527.1
 },
 "varshney2022/risk_vs_eps": {
  "cpu_s": 84.35,
  "peak_mb": 141.12
 },
 "varshney2022/risk_vs_kappa": {
  "cpu_s": 61.1,
  "peak_mb": 210.39
 },
 "varshney2022/risk_vs_n": {
  "cpu_s": 489.93,
  "peak_mb": 1051.37
 },
 "varshney2022/risk_vs_sigma": {
  "cpu_s": 32.54,
  "peak_mb": 137.87
 },
 "varshney2022/sample_complexity": {
  "cpu_s": 442.22,
  "peak_mb": 248.05
 },
 "varshney2022/ssgd": {
  "cpu_s": 97.8,
  "peak_mb": 807.91
 },
 "varshney2022/step_size": {
  "cpu_s": 49.08,
  "peak_mb": 471.32
 },
 "varshney2022/table_bounds": {
  "cpu_s": 1.04,
  "peak_mb": 103.0
 },
 "varshney2022/tails": {
  "cpu_s": 10.18,
  "peak_mb": 138.45
 },
 "wang2026": {
  "cpu_s": 2288.09,
  "peak_mb": 854.35
 },
 "wang2026/admissible_width": {
  "cpu_s": 5.85,
  "peak_mb": 159.57
 },
 "wang2026/batch": {
  "cpu_s": 19.76,
  "peak_mb": 145.92
 },
 "wang2026/bound_vs_run": {
  "cpu_s": 16.42,
  "peak_mb": 165.72
 },
 "wang2026/clipping": {
  "cpu_s": 22.9,
  "peak_mb": 137.55
 },
 "wang2026/closed_form_validity": {
  "cpu_s": 44.25,
  "peak_mb": 550.95
 },
 "wang2026/comparator": {
  "cpu_s": 19.99,
  "peak_mb": 181.67
 },
 "wang2026/eps_and_d": {
  "cpu_s": 160.88,
  "peak_mb": 238.74
 },
 "wang2026/fig01": {
  "cpu_s": 294.07,
  "peak_mb": 146.21
 },
 "wang2026/fixed_kappa": {
  "cpu_s": 22.32,
  "peak_mb": 145.21
 },
 "wang2026/initialisation": {
  "cpu_s": 19.33,
  "peak_mb": 136.59
 },
 "wang2026/kan_lambda": {
  "cpu_s": 333.12,
  "peak_mb": 169.2
 },
 "wang2026/kappa_tables": {
  "cpu_s": 528.4,
  "peak_mb": 412.61
 },
 "wang2026/lambda_tradeoff": {
  "cpu_s": 4.25,
  "peak_mb": 144.99
 },
 "wang2026/private_rate_n": {
  "cpu_s": 214.06,
  "peak_mb": 159.12
 },
 "wang2026/projection": {
  "cpu_s": 36.29,
  "peak_mb": 149.27
 },
 "wang2026/rate_T": {
  "cpu_s": 51.9,
  "peak_mb": 136.45
 },
 "wang2026/rate_minibatch": {
  "cpu_s": 99.82,
  "peak_mb": 160.18
 },
 "wang2026/rate_n": {
  "cpu_s": 60.42,
  "peak_mb": 132.82
 },
 "wang2026/sampling_counterexample": {
  "cpu_s": 17.49,
  "peak_mb": 161.81
 },
 "wang2026/stability": {
  "cpu_s": 9.49,
  "peak_mb": 134.71
 },
 "wang2026/table_rates": {
  "cpu_s": 1.25,
  "peak_mb": 107.63
 },
 "wang2026/width": {
  "cpu_s": 81.65,
  "peak_mb": 171.2
 }
};
