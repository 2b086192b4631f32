"""placeholder"""
from cutaway.stages.unit import CompileUnit


def run(unit: CompileUnit) -> None:
    pass
