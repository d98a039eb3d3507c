"""Mathematics in plain letters, set as HTML and for matplotlib."""

import re
import unicodedata

import pytest
from matplotlib.mathtext import MathTextParser

from dpdescent.replication.drawing.labels import from_mathtext
from dpdescent.replication.notation import html, mathtext
from dpdescent.replication.notation import plain as in_unicode


def plain(text: str) -> str:
    """HTML with letters unmarked, so that expectations can be read."""
    return html(text).replace("<i>", "").replace("</i>", "")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("rho2, rho_2 and lambda^2", "ρ<sub>2</sub>, ρ<sub>2</sub> and λ<sup>2</sup>"),
        ("theta* and |w*|_H^2", "θ<sup>∗</sup> and |w<sup>∗</sup>|<sub>H</sub><sup>2</sup>"),
        ("sqrt(log(1/delta))/n", '√<span class="root">log(1/δ)</span>/n'),
        ("(sqrt q + sqrt tau)^3", '(√<span class="root">q</span> + √<span class="root">τ</span>)<sup>3</sup>'),
        ("1.2 sqrt d, sqrt 2.", '1.2 √<span class="root">d</span>, √<span class="root">2</span>.'),
        ("nu-DP-FTRL, rho-zCDP", "ν-DP-FTRL, ρ-zCDP"),
        ("||x|| <= 1", "‖x‖ ≤ 1"),
        ("x >= y, p != q, T -> inf, +-1", "x ≥ y, p ≠ q, T → ∞, ±1"),
        ("p^(3/2) and N^-100 and k^(-a)", "p<sup>3/2</sup> and N<sup>−100</sup> and k<sup>−a</sup>"),
        ("beta^(t), beta^(T) - beta_hat", "β<sup>(t)</sup>, β<sup>(T)</sup> − β̂"),
        ("beta*_t of R_*", "β<sup>∗</sup><sub>t</sub> of R<sub>∗</sub>"),
        ("F_inf, d_eff, sigma_sgd^2", "F<sub>∞</sub>, d<sub>eff</sub>, σ<sub>sgd</sub><sup>2</sup>"),
        ("inf over beta of F_inf = inf, as T", "inf over β of F<sub>∞</sub> = ∞, as T"),
        ("eps = inf over alpha > 1; inf F_inf", "ε = inf over α &gt; 1; inf F<sub>∞</sub>"),
        ("T -> inf for all t, alpha in (0, inf)", "T → ∞ for all t, α in (0, ∞)"),
        ("e^(2j(j-1)/kappa^2)", "e<sup>2j(j−1)/κ<sup>2</sup></sup>"),
        ("9.6e-12, 1e+06, -1e9", "9.6 × 10<sup>−12</sup>, 10<sup>6</sup>, −10<sup>9</sup>"),
        ("<grad L_S(W), W - W*> <= 4", "⟨∇ L<sub>S</sub>(W), W − W<sup>∗</sup>⟩ ≤ 4"),
        ("1 < 2, 3 > 2 & 4", "1 &lt; 2, 3 &gt; 2 &amp; 4"),
        ("O~(d), w~_t, Rbar", "Õ(d), w̃<sub>t</sub>, R̄"),
        ("(Theta_hat)'Z'r and c' = 1", "(Θ̂)′Z′r and c′ = 1"),
        ("'no sigma': kappa's own 'delta' here", "‘no σ’: κ’s own ‘δ’ here"),
        ("10 x counts of 8x8 digits", "10 × counts of 8×8 digits"),
        ("θ* of ρ", "θ<sup>∗</sup> of ρ"),
        ("log2 N, sum_t x_t", "log<sub>2</sub> N, ∑<sub>t</sub> x<sub>t</sub>"),
    ],
)  # fmt: skip
def test_plain_letters_are_set_as_symbols(text: str, shown: str) -> None:
    assert unicodedata.normalize("NFC", plain(text)) == unicodedata.normalize("NFC", shown)


@pytest.mark.parametrize(
    ("text", "letters"),
    [
        ("a record at n = 100p", ["n", "p"]), ("I say: A claim", []), ("Figure 8a, App. C.2, Sec. B", []),
        ("appendices C to E", []), ("Theorem 2.7 of d", ["d"]), ("Corollary 3.8, N=5", ["N"]), ("e.g. i.i.d. w.p.", []),
        ("(i) no c0", ["c"]), ("f(x) and log^4(n rho)", ["f", "x", "n"]), ("Figures 3(a) and 8", []),
        ("a = 1", ["a"]), ("2p/rho after Figure 8d", ["p"]), ("takes 5 s", []),
    ],
)  # fmt: skip
def test_single_letters_are_variables_but_not_words_or_places(text: str, letters: list[str]) -> None:
    assert re.findall("<i>(.)</i>", html(text)) == letters


@pytest.mark.parametrize(
    "text",
    [
        "risk_vs_n and eps_and_d",
        "kappa_tables, zeta_factor, delta_se",
        "bounds.csv in sigma/eta.py",
        "betas, nul",
        "the sum of a grad student",
        "a sqrt of numbers",
    ],
)
def test_names_of_files_columns_and_words_stay(text: str) -> None:
    assert html(text) == text


def test_code_is_marked_and_markup_is_escaped() -> None:
    assert html("see `rho2` <br>") == "see <code>rho2</code> &lt;br&gt;"


@pytest.mark.parametrize("text", ["open (p", "x^", "sqrt(p", "p^(3/2", "''", "_", "x_", "|", "~ ^ * '", ""])
def test_what_does_not_close_is_still_shown(text: str) -> None:
    assert isinstance(html(text), str)
    assert isinstance(mathtext(text), str)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("DP-2S-GD, rho1 = rho2 = 0.1", r"DP-2S-GD, $\rho _{1}$ = $\rho _{2}$ = 0.1"),
        ("Theorem F.8's pair", "Theorem F.8's pair"),
        ("F_inf of theta_hat, sqrt(p)", r"$F_{\infty }$ of $\hat{\theta}$, $\sqrt{p}$"),
        ("as written: $x$ and rho", "as written: $x$ and rho"),
    ],
)
def test_titles_are_set_for_matplotlib(text: str, shown: str) -> None:
    assert mathtext(text) == shown


@pytest.mark.parametrize(
    "text",
    ["e^(2j(j-1)/kappa^2) <= 1e-6", "theta* - theta_hat^(T)", "C_clip >= G_delta'", "sqrt(log(1/delta)/N)", "O~(eps)",
     "gamma^-2 Theta(eta d/rho), w~_t, Rbar, sum_t inf"],
)  # fmt: skip
def test_matplotlib_reads_what_is_written_for_it(text: str) -> None:
    assert MathTextParser("path").parse(mathtext(text)) is not None


@pytest.mark.parametrize(
    ("text", "shown"),
    [("rho_2 = 1e-12", "ρ₂ = 10⁻¹²"), ("theta* <= sqrt(p + 1)", "θ* ≤ √(p + 1)"),
     ("C_clip^2, x^(3/2)", "C_clip², x^(3/2)"), ("beta^(1), ..., beta^(T)", "β⁽¹⁾, …, β^(T)")],
)  # fmt: skip
def test_drawings_have_unicode_alone(text: str, shown: str) -> None:
    assert in_unicode(text) == shown


@pytest.mark.parametrize(
    ("label", "shown"),
    [
        (r"error $\|\beta^{(T)}-\hat\beta\|$", "error ‖β^{(T)}−β̂‖"),
        (r"$\gamma=5\sqrt{p}$, $\sqrt{n p}$", "γ = 5√p, √(np)"),
        (r"$\frac{1}{2}\|\bar w-w^*\|_H^2$", "1/2‖w̄−w^{∗}‖_{H}^{2}"),
        (r"$F_\infty$ at $\rho\leq 10^{-3}$", "F_{∞} at ρ ≤ 10^{−3}"),
        (r"$T_\max$, $x_{n_0}$", "T_{max}, x_{n0}"),
        (r"$\log_2$ of $d\,\log d$, 5 \$", "log_{2} of d log d, 5 $"),
        ("100 - 5 % of a - b", "100 - 5 % of a - b"),
    ],
)
def test_labels_of_figures_become_lines_of_text(label: str, shown: str) -> None:
    said = " ".join(from_mathtext(label).split())
    assert unicodedata.normalize("NFC", said) == unicodedata.normalize("NFC", shown)


def test_a_command_of_a_label_that_has_no_sign_is_told() -> None:
    with pytest.raises(ValueError, match=r"\\bogus: no sign stands for this command"):
        from_mathtext(r"$\bogus$")
