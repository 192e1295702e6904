"""The files of an agent's workspace: documents under fixed names, in layers, each with its writers."""
