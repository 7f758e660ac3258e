"""What a process that multiprocessing starts afresh runs in the place of `__main__`: the program, rewritten too."""

from asnumpy.running import _asnumpys, _imports, _program

if __name__ == "__mp_main__":
    _program_found = _program.find(_program.spawned())
    _imports.install(_program_found.folder)
    globals().update(_program.main_module(_program_found, __name__, _asnumpys.AFRESH))
    exec(_imports.compiled(_program_found.source, _program_found.path), globals())
