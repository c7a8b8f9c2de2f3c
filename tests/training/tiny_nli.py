"""A tiny, untrained model of the shape of XLM-R fine-tuned on XNLI, written as a folder."""

from pathlib import Path
from typing import Any

_SPECIAL = ("<s>", "<pad>", "</s>", "<unk>", "<mask>")


def write(folder: Path, *, labels: tuple[str, ...] = ("contradiction", "neutral", "entailment")) -> Path:
    """Write model and tokenizer; its weights are random, its answers differ from text to text."""
    import torch
    from transformers import XLMRobertaConfig, XLMRobertaForSequenceClassification

    torch.manual_seed(7)
    tokenizer = _tokenizer()
    config = XLMRobertaConfig(
        vocab_size=len(tokenizer), hidden_size=64, num_hidden_layers=2, num_attention_heads=4,
        intermediate_size=128, max_position_embeddings=140, type_vocab_size=1, initializer_range=0.15,
        pad_token_id=1, bos_token_id=0, eos_token_id=2, id2label=dict(enumerate(labels)),
        label2id={label: place for place, label in enumerate(labels)},
    )  # fmt: skip
    XLMRobertaForSequenceClassification(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def _tokenizer() -> Any:
    from tokenizers import Tokenizer, models, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast

    tokenizer = Tokenizer(models.BPE(unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    trainer = trainers.BpeTrainer(vocab_size=300, special_tokens=list(_SPECIAL), show_progress=False)
    tokenizer.train_from_iterator(["This text is about sports and a match in the last minute"] * 3, trainer)
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> </s> $B </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, bos_token="<s>", eos_token="</s>", sep_token="</s>", cls_token="<s>",
        pad_token="<pad>", unk_token="<unk>", mask_token="<mask>", model_max_length=128,
    )  # fmt: skip
