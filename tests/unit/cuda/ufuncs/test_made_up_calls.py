"""Made-up calls give on a GPU what they give on the CPU."""

from __future__ import annotations

import corpora

from .made_up_calls import FUNCTIONS, Call, made, outcome


def test_made_up_calls_give_what_they_give_on_the_cpu():
    on_cpu = {function: made(function, "cpu") for function in FUNCTIONS}
    on_gpu = {function: made(function, "cuda") for function in FUNCTIONS}
    raised = 0
    for seed in corpora.seeds("CALLS_ON_GPU"):
        call = Call(seed)
        wanted = outcome(call, on_cpu[call.function], False)
        assert outcome(call, on_gpu[call.function], True) == wanted, f"seed {seed}: {call}"
        raised += isinstance(wanted, type)
    assert raised < corpora.count("CALLS_ON_GPU")
