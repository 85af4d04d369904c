import { info } from 'pyodide/pyodide-lock.json'

/** Files of the Python runtime, passed to a sandbox because it has no network access. */
export interface PythonParts {
  /** Pyodide's lock file with its version; Pyodide rejects other versions. */
  info: typeof info
  loader: string
  module: string
  program: ArrayBuffer
  library: ArrayBuffer
}

/** Fetches Python and its standard library from this server; a browser keeps them, since their names have a hash. */
export async function loadPython(): Promise<PythonParts> {
  const [loader, module, program, library] = await Promise.all([
    import('pyodide/pyodide.mjs?url').then(fetchFile).then((response) => response.text()),
    import('pyodide/pyodide.asm.mjs?url').then(fetchFile).then((response) => response.text()),
    import('pyodide/pyodide.asm.wasm?url').then(fetchFile).then((response) => response.arrayBuffer()),
    import('pyodide/python_stdlib.zip?url').then(fetchFile).then((response) => response.arrayBuffer()),
  ])
  return { info, loader, module, program, library }
}

async function fetchFile({ default: address }: { default: string }): Promise<Response> {
  const response = await fetch(address)
  if (!response.ok) throw new Error(`${address} answered ${response.status}`)
  return response
}
