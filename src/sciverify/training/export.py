"""From a torch module to an int8 OpenVINO model: trace, quantise after training, save beside a model.json.

NNCF's post-training quantisation with the transformer preset (SmoothQuant, bias correction) on about a hundred
representative inputs; the engine then runs int8 matrix products.
"""

from __future__ import annotations

import contextlib
import io
import json
import logging
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sciverify.models.card import file_hash, words_beside
from sciverify.models.telemetry import without_telemetry

__all__ = ["save_int8", "save_model_card"]

CALIBRATION_INPUTS = 128


def save_int8(
    module: Any,
    inputs: Sequence[Mapping[str, NDArray[Any]]],
    outputs: Sequence[str],
    folder: Path,
    *,
    quantise: bool = True,
) -> Path:
    """Write ``model.xml`` and ``model.bin`` into `folder`.

    Args:
        module: a torch module in evaluation mode whose forward takes the inputs by name and returns a tuple.
        inputs: calibration inputs, each of shape (1, tokens) or (1, tokens, dimensions); the first one
            also traces the module.
        outputs: the names of the module's outputs, in order.
        folder: where to write; made if missing.
        quantise: False keeps fp32, for comparison.
    """
    import torch

    with without_telemetry():
        import openvino as ov

    folder.mkdir(parents=True, exist_ok=True)
    # Two rows and an odd length, so that tracing cannot fold a 1 into the graph.
    example = {name: torch.from_numpy(np.repeat(values, 2, axis=0)) for name, values in inputs[0].items()}
    with warnings.catch_warnings(), torch.inference_mode():
        warnings.simplefilter("ignore")
        model = ov.convert_model(module, example_input=example)
    for port, name in zip(model.inputs, inputs[0], strict=True):
        port.get_tensor().set_names({name})
        port.get_node().set_partial_shape(ov.PartialShape([-1, -1, *inputs[0][name].shape[2:]]))
    for port, name in zip(model.outputs, outputs, strict=True):
        port.get_tensor().set_names({name})
    model.validate_nodes_and_infer_types()
    if quantise:
        model = _quantise(model, inputs)
    path = folder / "model.xml"
    ov.save_model(model, path, compress_to_fp16=False)
    return path


def save_model_card(folder: Path, card: Mapping[str, Any]) -> None:
    """Write ``model.json``: what the run time must know, with the hashes of the weights."""
    content = {**card, "sha256": file_hash(folder / "model.bin")}
    if (words := words_beside(folder)).exists():
        content["words_sha256"] = file_hash(words)
    (folder / "model.json").write_text(json.dumps(content, indent=2, sort_keys=True) + "\n", encoding="utf-8")


def _quantise(model: Any, inputs: Sequence[Mapping[str, NDArray[Any]]]) -> Any:
    with without_telemetry():
        import nncf

    logging.getLogger("nncf").setLevel(logging.ERROR)
    with contextlib.redirect_stdout(io.StringIO()):
        return nncf.quantize(
            model,
            nncf.Dataset(list(inputs)[:CALIBRATION_INPUTS]),
            model_type=nncf.ModelType.TRANSFORMER,
            # In int8 the fused attention runs slower than in the processor's own 16 or 32 bits.
            ignored_scope=nncf.IgnoredScope(types=["ScaledDotProductAttention"], validate=False),
            subset_size=min(CALIBRATION_INPUTS, len(inputs)),
        )
