"""Transformers laid out for scoring on a processor: the same scores, sooner.

Every linear layer's weights are kept in the order in which oneDNN multiplies them, in float32 or bfloat16, and a GELU
that follows is computed with the product. Of the last layer of BERT's family nothing is computed but the first token,
the only one that a cross-encoder's head reads.
"""

import copy
from typing import Any, Literal

import torch
from torch import Tensor, nn
from torch.nn import functional
from transformers.activations import GELUActivation

from identification.architectures.transformers import CrossEncoder, Transformer

FAMILY = frozenset({"bert", "roberta", "xlm-roberta", "camembert", "electra"})
"""Kinds of encoders, as transformers names them, that are built of the same layers."""


def pack(model: Transformer, dtype: torch.dtype) -> Transformer:
    """A copy of the model that scores as the model does when it computes in this type; it cannot be trained.

    It shares all weights except in linear layers. Without oneDNN, or on another device, the model itself.
    """
    if model.device.type != "cpu" or not torch.backends.mkldnn.is_available():  # type: ignore[no-untyped-call]
        return model
    packed = copy.deepcopy(model, {id(part): part for part in (model.tokenizer, *model.parameters())})
    if isinstance(packed, CrossEncoder) and packed.encoder.config.model_type in FAMILY:
        layers = packed.encoder.base_model.encoder.layer
        layers[-1] = _FirstToken(layers[-1])
    _pack_linear(packed.encoder, dtype)
    return packed


def _pack_linear(module: nn.Module, dtype: torch.dtype) -> None:
    for name, child in module.named_children():
        if type(child) is nn.Linear:
            setattr(module, name, _PackedLinear(child, dtype))
        elif isinstance(getattr(child, "intermediate_act_fn", None), GELUActivation):
            setattr(module, name, _PackedLinear(child.dense, dtype, "gelu"))
        else:
            _pack_linear(child, dtype)


class _PackedLinear(nn.Module):
    """A linear layer and the activation after it; inputs are converted to its type, outputs have it."""

    def __init__(self, layer: Any, dtype: torch.dtype, activation: Literal["none", "gelu"] = "none") -> None:
        super().__init__()
        self.dtype, self.activation = dtype, activation
        weight = layer.weight.detach().to(dtype)
        self.weight = torch.ops.mkldnn._reorder_linear_weight(weight)
        self.bias = None if layer.bias is None else layer.bias.detach().to(dtype)

    def forward(self, states: Tensor) -> Tensor:
        """As the layer."""
        states = states.to(self.dtype)
        output: Tensor = torch.ops.mkldnn._linear_pointwise(states, self.weight, self.bias, self.activation, [], "none")
        return output


class _FirstToken(nn.Module):
    """A layer of BERT's family that returns the first token's state alone, [batch, 1, width]."""

    def __init__(self, layer: Any) -> None:
        super().__init__()
        self.layer = layer

    def forward(self, states: Tensor, attention_mask: Tensor | None = None, *_: Any, **__: Any) -> Tensor:
        """As the layer, from the states [batch, tokens, width]."""
        attention = self.layer.attention.self
        first = states[:, :1]
        query, key, value = (
            part.unflatten(-1, (attention.num_attention_heads, -1)).transpose(1, 2)
            for part in (attention.query(first), attention.key(states), attention.value(states))
        )
        mask = None if attention_mask is None else attention_mask[:, :, :1]
        mixed = functional.scaled_dot_product_attention(query, key, value, attn_mask=mask)
        attended = self.layer.attention.output(mixed.transpose(1, 2).flatten(-2), first)
        output: Tensor = self.layer.output(self.layer.intermediate(attended), attended)
        return output
