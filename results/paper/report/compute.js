window.dpdescentCompute = {
 "": {
  "cpu_s": 7.6,
  "peak_mb": 201.66
 },
 "all stages": {
  "cpu_s": 7950.79,
  "peak_mb": 1639.37
 },
 "brown2024": {
  "cpu_s": 2208.49,
  "peak_mb": 1639.37
 },
 "brown2024/ext_author_profile": {
  "cpu_s": 108.09,
  "peak_mb": 618.89
 },
 "brown2024/ext_no_clipping": {
  "cpu_s": 24.78,
  "peak_mb": 209.86
 },
 "brown2024/ext_outliers": {
  "cpu_s": 96.24,
  "peak_mb": 134.01
 },
 "brown2024/ext_small_noise": {
  "cpu_s": 38.39,
  "peak_mb": 127.96
 },
 "brown2024/fig01": {
  "cpu_s": 230.39,
  "peak_mb": 891.18
 },
 "brown2024/fig02": {
  "cpu_s": 34.3,
  "peak_mb": 134.51
 },
 "brown2024/fig03": {
  "cpu_s": 60.59,
  "peak_mb": 130.68
 },
 "brown2024/fig04": {
  "cpu_s": 66.09,
  "peak_mb": 141.65
 },
 "brown2024/fig05": {
  "cpu_s": 174.07,
  "peak_mb": 561.04
 },
 "brown2024/fig06": {
  "cpu_s": 201.65,
  "peak_mb": 561.07
 },
 "brown2024/fig07": {
  "cpu_s": 61.78,
  "peak_mb": 129.45
 },
 "brown2024/fig08": {
  "cpu_s": 335.29,
  "peak_mb": 1639.37
 },
 "brown2024/fig09": {
  "cpu_s": 319.89,
  "peak_mb": 891.46
 },
 "brown2024/fig10": {
  "cpu_s": 152.49,
  "peak_mb": 553.89
 },
 "brown2024/fig11": {
  "cpu_s": 221.38,
  "peak_mb": 561.39
 },
 "brown2024/table_preliminaries": {
  "cpu_s": 9.25,
  "peak_mb": 110.51
 },
 "choquettechoo2023": {
  "cpu_s": 1329.42,
  "peak_mb": 517.98
 },
 "choquettechoo2023/ext_anti_pgd": {
  "cpu_s": 6.67,
  "peak_mb": 135.37
 },
 "choquettechoo2023/ext_finite_time": {
  "cpu_s": 35.25,
  "peak_mb": 161.76
 },
 "choquettechoo2023/ext_mean_estimation": {
  "cpu_s": 13.25,
  "peak_mb": 236.87
 },
 "choquettechoo2023/ext_nu": {
  "cpu_s": 5.02,
  "peak_mb": 131.27
 },
 "choquettechoo2023/ext_prefix_sums": {
  "cpu_s": 171.21,
  "peak_mb": 356.6
 },
 "choquettechoo2023/ext_spectra": {
  "cpu_s": 5.43,
  "peak_mb": 133.53
 },
 "choquettechoo2023/fig01": {
  "cpu_s": 6.48,
  "peak_mb": 131.16
 },
 "choquettechoo2023/fig02": {
  "cpu_s": 374.72,
  "peak_mb": 517.98
 },
 "choquettechoo2023/fig03": {
  "cpu_s": 15.59,
  "peak_mb": 135.52
 },
 "choquettechoo2023/fig04a": {
  "cpu_s": 476.89,
  "peak_mb": 166.29
 },
 "choquettechoo2023/fig04b": {
  "cpu_s": 116.09,
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
  "cpu_s": 730.5,
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
  "cpu_s": 7.53,
  "peak_mb": 126.32
 },
 "liang2025/ext_calibration": {
  "cpu_s": 8.5,
  "peak_mb": 129.96
 },
 "liang2025/ext_friendlycore": {
  "cpu_s": 14.79,
  "peak_mb": 129.88
 },
 "liang2025/ext_overidentified": {
  "cpu_s": 12.11,
  "peak_mb": 133.38
 },
 "liang2025/ext_parameter_draws": {
  "cpu_s": 34.59,
  "peak_mb": 132.17
 },
 "liang2025/ext_weak_instrument": {
  "cpu_s": 57.11,
  "peak_mb": 129.77
 },
 "liang2025/fig01": {
  "cpu_s": 3.01,
  "peak_mb": 123.88
 },
 "liang2025/fig02": {
  "cpu_s": 3.06,
  "peak_mb": 127.94
 },
 "liang2025/fig03": {
  "cpu_s": 182.51,
  "peak_mb": 140.21
 },
 "liang2025/fig04": {
  "cpu_s": 87.25,
  "peak_mb": 133.83
 },
 "liang2025/fig05": {
  "cpu_s": 7.11,
  "peak_mb": 133.33
 },
 "liang2025/fig06": {
  "cpu_s": 122.17,
  "peak_mb": 133.5
 },
 "liang2025/fig07": {
  "cpu_s": 13.84,
  "peak_mb": 129.09
 },
 "liang2025/fig08": {
  "cpu_s": 8.13,
  "peak_mb": 127.81
 },
 "liang2025/fig09": {
  "cpu_s": 16.11,
  "peak_mb": 131.55
 },
 "liang2025/fig10": {
  "cpu_s": 7.55,
  "peak_mb": 132.67
 },
 "liang2025/fig11": {
  "cpu_s": 6.49,
  "peak_mb": 133.3
 },
 "liang2025/fig13": {
  "cpu_s": 13.46,
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
  "cpu_s": 1842.74,
  "peak_mb": 1049.82
 },
 "varshney2022/ablation": {
  "cpu_s": 15.79,
  "peak_mb": 149.34
 },
 "varshney2022/alg_stat": {
  "cpu_s": 16.15,
  "peak_mb": 170.16
 },
 "varshney2022/audit": {
  "cpu_s": 13.8,
  "peak_mb": 130.09
 },
 "varshney2022/bound_vs_run": {
  "cpu_s": 36.71,
  "peak_mb": 177.36
 },
 "varshney2022/clip_path": {
  "cpu_s": 13.47,
  "peak_mb": 145.29
 },
 "varshney2022/feasibility": {
  "cpu_s": 4.12,
  "peak_mb": 131.01
 },
 "varshney2022/moments": {
  "cpu_s": 4.79,
  "peak_mb": 135.96
 },
 "varshney2022/multiplier": {
  "cpu_s": 15.68,
  "peak_mb": 138.2
 },
 "varshney2022/risk_vs_d": {
  "cpu_s": 262.31,
  "peak_mb": 487.07
 },
 "varshney2022/risk_vs_eps": {
  "cpu_s": 60.07,
  "peak_mb": 140.08
 },
 "varshney2022/risk_vs_kappa": {
  "cpu_s": 55.54,
  "peak_mb": 186.02
 },
 "varshney2022/risk_vs_n": {
  "cpu_s": 519.76,
  "peak_mb": 1049.82
 },
 "varshney2022/risk_vs_sigma": {
  "cpu_s": 39.47,
  "peak_mb": 136.65
 },
 "varshney2022/sample_complexity": {
  "cpu_s": 442.41,
  "peak_mb": 205.72
 },
 "varshney2022/ssgd": {
  "cpu_s": 128.51,
  "peak_mb": 699.41
 },
 "varshney2022/step_size": {
  "cpu_s": 36.45,
  "peak_mb": 457.36
 },
 "varshney2022/table_bounds": {
  "cpu_s": 4.11,
  "peak_mb": 106.5
 },
 "varshney2022/tails": {
  "cpu_s": 14.5,
  "peak_mb": 131.15
 },
 "wang2026": {
  "cpu_s": 1832.04,
  "peak_mb": 858.55
 },
 "wang2026/admissible_width": {
  "cpu_s": 7.56,
  "peak_mb": 157.73
 },
 "wang2026/batch": {
  "cpu_s": 32.49,
  "peak_mb": 143.42
 },
 "wang2026/bound_vs_run": {
  "cpu_s": 19.27,
  "peak_mb": 164.1
 },
 "wang2026/clipping": {
  "cpu_s": 17.97,
  "peak_mb": 134.5
 },
 "wang2026/closed_form_validity": {
  "cpu_s": 33.76,
  "peak_mb": 406.02
 },
 "wang2026/comparator": {
  "cpu_s": 26.97,
  "peak_mb": 137.52
 },
 "wang2026/eps_and_d": {
  "cpu_s": 96.33,
  "peak_mb": 175.88
 },
 "wang2026/fig01": {
  "cpu_s": 132.78,
  "peak_mb": 143.64
 },
 "wang2026/fixed_kappa": {
  "cpu_s": 29.95,
  "peak_mb": 143.02
 },
 "wang2026/initialisation": {
  "cpu_s": 18.01,
  "peak_mb": 133.48
 },
 "wang2026/kan_lambda": {
  "cpu_s": 191.88,
  "peak_mb": 170.28
 },
 "wang2026/kappa_tables": {
  "cpu_s": 395.58,
  "peak_mb": 527.5
 },
 "wang2026/lambda_tradeoff": {
  "cpu_s": 5.67,
  "peak_mb": 141.96
 },
 "wang2026/private_rate_n": {
  "cpu_s": 216.7,
  "peak_mb": 158.34
 },
 "wang2026/projection": {
  "cpu_s": 42.63,
  "peak_mb": 145.05
 },
 "wang2026/rate_T": {
  "cpu_s": 62.24,
  "peak_mb": 133.8
 },
 "wang2026/rate_minibatch": {
  "cpu_s": 83.27,
  "peak_mb": 156.27
 },
 "wang2026/rate_n": {
  "cpu_s": 48.12,
  "peak_mb": 129.8
 },
 "wang2026/sampling_counterexample": {
  "cpu_s": 23.29,
  "peak_mb": 156.95
 },
 "wang2026/stability": {
  "cpu_s": 9.9,
  "peak_mb": 131.98
 },
 "wang2026/table_rates": {
  "cpu_s": 3.48,
  "peak_mb": 109.24
 },
 "wang2026/width": {
  "cpu_s": 97.38,
  "peak_mb": 170.17
 }
};
