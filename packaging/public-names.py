#!/usr/bin/env python3
"""Makes src/causes/files/public-names.ts: the names that modules of Python and of packages have for others.

    python3 packaging/public-names.py

The packages have to be installed. Of a module with very many names, only those that begin with the four
letters after the colon are taken.
"""
import importlib
import pkgutil
import sys
import types
import typing

TABLE = "src/causes/files/public-names.ts"
MODULES = """abc asyncio collections contextlib dataclasses datetime enum functools itertools pathlib typing
concurrent.futures fastapi fastapi.responses fastapi.security flask httpx langchain_core.documents
langchain_core.messages langchain_core.output_parsers langchain_core.prompts langgraph.graph langgraph.prebuilt openai
pydantic pydantic_settings requests sqlalchemy sqlalchemy.orm starlette.responses transformers:Auto""".split()


def is_own(loaded, name):
    """Neither of `typing` nor a module of Python, which many modules have for themselves."""
    value = vars(loaded).get(name)
    is_other = value.__class__ is types.ModuleType and name in sys.stdlib_module_names
    return not is_other and (value is None or value is not getattr(typing, name, None))


def names_of(module, start):
    loaded = importlib.import_module(module)
    listed = list(getattr(loaded, "__all__", []))
    if not listed or module.split(".")[0] not in sys.stdlib_module_names:
        listed += [name for name in dir(loaded) if is_own(loaded, name)]
    parts = [each.name for each in pkgutil.iter_modules(getattr(loaded, "__path__", []))]
    return sorted(name for name in {*listed, *(parts if not start else [])}
                  if name.startswith(start) and not name.startswith("_"))


def main():
    rows = [f"{each} {' '.join(names_of(module, start))}"
            for each, (module, _, start) in ((each, each.partition(":")) for each in MODULES)]
    table = "\n".join(rows)
    with open(TABLE, "w", encoding="utf-8") as file:
        file.write("// Made by packaging/public-names.py. Not to be edited.\n\n"
                   "/** The names of modules that apps import from, one module a line. */\n"
                   f"export const publicNames = `\n{table}\n`;\n")


if __name__ == "__main__":
    main()
