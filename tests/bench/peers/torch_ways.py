"""The workloads in PyTorch; per-sample gradients by Opacus."""

import numpy as np
import torch
from opacus.grad_sample import GradSampleModule

torch.set_num_threads(1)


def dp_gd(X: np.ndarray, y: np.ndarray, gamma: float, noise: np.ndarray, eta: float) -> np.ndarray:
    model = GradSampleModule(torch.nn.Linear(X.shape[1], 1, bias=False, dtype=torch.float64), loss_reduction="sum")
    (weight,) = model.parameters()
    weight.data.zero_()
    rows, targets = torch.from_numpy(X), torch.from_numpy(y)
    for z in torch.from_numpy(noise):
        model.zero_grad()
        (0.5 * (model(rows)[:, 0] - targets).square()).sum().backward()
        each = weight.grad_sample[:, 0]
        factor = (gamma / each.norm(dim=1).clamp_min(1e-300)).clamp_max(1.0)
        weight.data -= eta * (factor @ each / len(each) - z)
    return weight.data[0].numpy().copy()


def correlate(beta: np.ndarray, normals: np.ndarray) -> np.ndarray:
    size = 2 * len(beta)
    spectrum = torch.fft.rfft(torch.from_numpy(normals), size, dim=0)
    spectrum *= torch.fft.rfft(torch.from_numpy(beta), size)[:, None]
    made: np.ndarray = torch.fft.irfft(spectrum, size, dim=0)[: len(beta)].numpy()
    return made
