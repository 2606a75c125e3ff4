# filled with the packaging
