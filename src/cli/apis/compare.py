"""Compares what is said of functions and classes with those of installed packages.

Reads a list of `{module, version, functions: {path: parameters}, classes: {path: attributes}}` and prints for each
`{differences, compared, version}` or `{skipped: reason}`. An empty version stands for any.
"""

import importlib, inspect, json, sys, warnings
warnings.simplefilter("ignore")
def find(path):
    parts = path.split(".")
    for end in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:end]))
        except ImportError:
            continue
        for name in parts[end:]:
            found = getattr(found, name)
        return found
    raise ImportError(path)

def parameters(function, method):
    names, starred = [], False
    listed = list(inspect.signature(function).parameters.values())
    if method and listed and listed[0].name in ("self", "cls"):
        listed = listed[1:]
    for it in listed:
        if it.kind == it.KEYWORD_ONLY and not starred:
            names.append("*")
            starred = True
        star = {it.VAR_POSITIONAL: "*", it.VAR_KEYWORD: "**"}.get(it.kind, "")
        starred = starred or star == "*"
        names.append(star + it.name)
    return names

def compare(asked):
    differences, compared = [], 0
    for path, said in asked["functions"].items():
        try:
            function = find(path)
        except (ImportError, AttributeError) as error:
            differences.append(f"{path}: {error}")
            continue
        try:
            real = parameters(function, inspect.isclass(find(path.rpartition(".")[0])))
        except (TypeError, ValueError):
            continue  # compiled, without a signature
        compared += 1
        if real != said and real != ["*args", "**kwargs"]:
            differences.append(f"{path}: {said} is said, {real} is true")
    for path, said in asked["classes"].items():
        real = {name for name in dir(find(path)) if not name.startswith("__") and "pybind11" not in name}
        if not real <= set(said):
            differences.append(f"{path}: {sorted(real - set(said))} are missing")
    return {"differences": differences, "compared": compared}

def answer(asked):
    try:
        importlib.import_module(asked["module"])
        package = importlib.import_module(asked["module"].split(".")[0])
        version = getattr(package, "__version__", sys.version)
        if version.startswith(asked["version"]):
            return dict(compare(asked), version=version)
        return {"skipped": f"version {version} is installed, not {asked['version']}"}
    except (ImportError, RuntimeError, AttributeError) as error:
        return {"skipped": str(error)}

answers = [answer(asked) for asked in json.load(sys.stdin)]
print()
print(json.dumps(answers))
