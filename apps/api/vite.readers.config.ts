import { basename, join } from 'node:path'
import { defineConfig } from 'vite'
import { oneByteCharacters, outDir, placesInSource, readers, withoutOldFiles } from './vite.config.ts'

const readersDir = join(outDir, 'readers')

/** Packages that find what they need beside themselves: native code, WebAssembly, threads, other packages. */
const notBundled = [
  ...['@huggingface/transformers', 'file-type', 'jxl-oxide-wasm', 'libheif-js', 'node-av', 'onnxruntime-node'],
  ...['pdf-parse', 'sharp', 'tesseract.js'],
]

/** Each parser of strangers' files in few files: a process starts for every user who takes turns with others. */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [placesInSource(readersDir), oneByteCharacters, withoutOldFiles(readersDir)],
  define: { 'process.env.NODE_ENV': '"production"' },
  build: {
    ssr: true,
    target: 'node22',
    outDir: readersDir,
    emptyOutDir: false,
    rolldownOptions: {
      input: Object.fromEntries(readers.map((path) => [basename(path, '.ts'), path])),
      output: { entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' },
    },
  },
  ssr: { noExternal: true, external: notBundled },
})
