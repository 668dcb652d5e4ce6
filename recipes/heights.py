"""How far below the head each weight lies, as layer-wise rates count."""

import re


def heights(paths):
    """How many layers each weight lies below what stands on its stack.

    A stack is what has blocks. Its top block is 1 below, the one before 2, and so on;
    its embedding and positions are one more than its first block. All else, such as
    heads and a stack's last norm, is 0 below. An encoder and a decoder are each
    counted from their own top, since every block of the decoder reads the encoder's; a
    table that both read counts from where it lies deepest. Blocks that are one and the
    same layer count once.

    Args:
        paths: iterable of str. The paths of all weights of a model.

    Returns:
        dict from path to int.

    Reference:
        - [Bao et al., 2022](https://arxiv.org/abs/2106.08254), BEiT, whose code counts
          so; that of [Clark et al., 2020](https://arxiv.org/abs/2003.10555), ELECTRA,
          has one more between the top block and the head
    """
    paths = list(paths)
    blocks = {}
    for path in paths:
        found = re.match(r"(.*)/block_(\d+)/", path)
        if found:
            blocks.setdefault(found[1], set()).add(int(found[2]))
    order = {stack: sorted(numbers) for stack, numbers in blocks.items()}
    bottom = {stack: len(numbers) + 1 for stack, numbers in order.items()}
    if any(f"{stack}/embedding/embeddings" not in paths for stack in order):
        for stack in order:  # One table for all.
            bottom[f"{stack}/embedding/embeddings"] = max(bottom.values())
    return {path: _height(path, order, bottom) for path in paths}


def _height(path, order, bottom):
    for stack, numbers in order.items():
        if not path.startswith(f"{stack}/"):
            continue
        name = path.removeprefix(f"{stack}/").split("/")[0]
        if name in ("embedding", "position"):
            return bottom.get(path, bottom[stack])
        if name.startswith("block_"):
            number = int(name.removeprefix("block_"))
            return len(numbers) - numbers.index(number)
    return 0
