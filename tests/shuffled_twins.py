"""varshney2022 Algorithms 1, 2 and 3 as they are written: one record, one gradient, one comparison at a time."""

import math

import numpy as np


def clip(gradient, zeta):
    norm = np.linalg.norm(gradient)
    return gradient * min(1.0, zeta / norm) if norm > 0 else gradient


def dp_stat(X, y, w, *, largest, levels, noise_sd, enough, normals):
    """Algorithm 3, with any number that is enough for s, started at Delta = B / 2^L."""
    gamma = largest / 2.0**levels
    for i in range(levels):
        count = 0
        for x, label in zip(X, y, strict=True):
            if abs(x @ w - label) <= gamma:
                count += 1
        if count + noise_sd * normals[i] < enough:
            gamma = 2.0 * gamma
        else:
            break
    return gamma


def ambssgd(batches, *, eta, alpha, gradient_normals, zeta=None, scale=None, s=0, overlap=False, shared=False, **stat):
    """Algorithm 2: w_0..w_T, zeta_t, shares clipped and root mean squares of residuals.

    A fixed zeta, or what `dp_stat` needs, with normals of shape (T, L or more).
    """
    w = np.zeros(batches[0][0].shape[1])
    path, told, normals = [w], [], stat.pop("normals", None)
    for t, (X, y) in enumerate(batches):
        start = 0 if shared else s
        if scale is not None:
            seen = s + 1 if overlap else s
            zeta = scale * dp_stat(X[:seen], y[:seen], w, normals=normals[t], **stat)
        total, clipped, squares, b = np.zeros(len(w)), 0, 0.0, len(X) - start
        for x, label in zip(X[start:], y[start:], strict=True):
            gradient = x * (x @ w - label)
            clipped += np.linalg.norm(gradient) > zeta
            squares += (x @ w - label) ** 2
            total = total + clip(gradient, zeta)
        w = w - eta * (total / b + 2.0 * alpha * zeta / b * gradient_normals[t])
        path.append(w)
        told.append((zeta, clipped / b, math.sqrt(squares / b)))
    return np.array(path), *np.array(told).T


def ssgd(X, y, *, eta, alpha, zeta, normals):
    """Algorithm 1 on records that are in order already: w_0..w_N, and the share of gradients clipped."""
    w = np.zeros(X.shape[1])
    path, clipped = [w], 0
    for x, label, g in zip(X, y, normals, strict=True):
        gradient = x * (x @ w - label)
        clipped += np.linalg.norm(gradient) > zeta
        w = w - eta * (clip(gradient, zeta) + 2.0 * alpha * zeta * g)
        path.append(w)
    return np.array(path), clipped / len(X)
