// Exists so that the headers most tests include are precompiled once; every test executable reuses the result.
