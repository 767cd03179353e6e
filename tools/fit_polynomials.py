#!/usr/bin/env python3
"""Fits the polynomials of engine/kernels/isa/math.inl.h and prints them as C++ hexadecimal floats.

The fit is weighted least squares at Chebyshev nodes. Lawson's iteration adjusts the weights to minimise the largest
error. The functions are evaluated with 40 digits. The script needs numpy and mpmath:

    python3 tools/fit_polynomials.py
"""

import mpmath as mp
import numpy as np

mp.mp.dps = 40


def fit(function, begin, end, degree, error_scale, centre=0, scale=1, nodes=400, iterations=60):
    """Returns the coefficients of (x - centre) / scale, constant first, and the largest |error| * error_scale(x) at the
    nodes."""
    points = [(begin + end) / 2 + (end - begin) / 2 * mp.cos(mp.pi * (2 * i + 1) / (2 * nodes)) for i in range(nodes)]
    x = np.array([float((p - centre) / scale) for p in points])
    wanted = np.array([float(function(p)) for p in points])
    weight = np.array([float(error_scale(p)) for p in points])
    powers = np.vander(x, degree + 1, increasing=True)
    lawson = np.full(nodes, 1 / nodes)
    for _ in range(iterations):
        row_weight = np.sqrt(lawson) * weight
        coefficients = np.linalg.lstsq(powers * row_weight[:, None], wanted * row_weight, rcond=None)[0]
        error = np.abs(powers @ coefficients - wanted) * weight
        lawson *= error + 1e-30
        lawson /= lawson.sum()
    return coefficients, error.max()


def show(name, coefficients, error):
    print(f"// {name}: largest relative error {error:.1e} before rounding to float")
    print(", ".join(float(np.float32(c)).hex() + "f" for c in coefficients), "\n")


def mills(t):
    """Returns Phi(-t) / exp(-t*t/2), the tail of the normal distribution without its exponential."""
    return mp.exp(t * t / 2) * mp.erfc(t / mp.sqrt(2)) / 2


def main():
    def exp_rest(r):
        return (mp.exp(r) - 1 - r) / r**2 if abs(r) > mp.mpf("1e-9") else mp.mpf(1) / 2

    show("kExp: exp(r) = 1 + r + r^2 P(r), |r| <= 0.35",
         *fit(exp_rest, mp.mpf("-0.35"), mp.mpf("0.35"), 5, lambda r: r * r / mp.exp(r)))

    def tanh_rest(s):
        return (mp.tanh(mp.sqrt(s)) / mp.sqrt(s) - 1) / s

    show("kTanh: tanh(x) = x + x s P(s), s = x^2 <= 0.36",
         *fit(tanh_rest, mp.mpf("1e-8"), mp.mpf("0.36"), 5, lambda s: s))

    def log_rest(s):
        return mp.atanh(mp.sqrt(s)) / mp.sqrt(s) - 1

    show("kLog1p: log(1 + e) = 2 z + 2 z s P(s), z = e / (2 + e), s = z^2 <= 1/9",
         *fit(lambda s: log_rest(s) / s, mp.mpf("1e-8"), mp.mpf(1) / 9, 3, lambda s: s / (1 + log_rest(s))))

    slope = mp.mpf(np.float64(np.float32(0.3)))

    def mills_of_u(u):
        return mills((1 / u - 1) / slope)

    show("kMills: Phi(-t) = exp(-t^2/2) P(1 / (1 + 0.3 t)), 0 <= t <= 14.5",
         *fit(mills_of_u, 1 / (1 + slope * mp.mpf("14.5")), mp.mpf(1), 10, lambda u: 1 / mills_of_u(u)))

    width = mp.mpf(np.float64(np.float32(5.6))) / 15
    pieces = [fit(lambda t: -mp.erfc(t / mp.sqrt(2)) / 2, (n - 0.5) * width, (n + 0.5) * width, 3, lambda t: 1,
                  centre=n * width, scale=width) for n in range(16)]
    print(f"// kTailPieces: -Phi(-t) of piece n, r = 15 t / 5.6 - n: largest error {max(e for _, e in pieces):.1e}")
    for power in range(4):
        print(", ".join(float(np.float32(coefficients[power])).hex() + "f" for coefficients, _ in pieces) + ",")


if __name__ == "__main__":
    main()
