import { basename } from 'node:path'
import { defineConfig, type Plugin } from 'vite'
import { oneByteCharacters, outDir, placesInSource, readers } from './vite.config.ts'

/** Packages that find what they need beside themselves: native code, WebAssembly, threads, other packages. */
const notBundled = [
  ...['@huggingface/transformers', 'file-type', 'fluent-ffmpeg', 'jxl-oxide-wasm', 'libheif-js', 'node-av'],
  ...['onnxruntime-node', 'pdf-parse', 'sharp', 'tesseract.js'],
]

/** Refuses packages that work only as files of their own: they would fail once they're used. */
const onlyModules: Plugin = {
  name: 'only-modules',
  generateBundle(_, bundle) {
    for (const chunk of Object.values(bundle)) {
      const name = chunk.type === 'chunk' ? /\b__(?:dirname|filename)\b/.exec(chunk.code)?.[0] : undefined
      if (name !== undefined) throw new Error(`${chunk.fileName} uses ${name}: leave the package out of the bundle.`)
    }
  },
}

/** Each parser of strangers' files in few files: a process starts for every user who takes turns with others. */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [placesInSource, oneByteCharacters, onlyModules],
  define: { 'process.env.NODE_ENV': '"production"' },
  build: {
    ssr: true,
    target: 'node22',
    outDir,
    emptyOutDir: false,
    rolldownOptions: {
      input: Object.fromEntries(readers.map((path) => [basename(path, '.ts'), path])),
      output: { entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' },
    },
  },
  ssr: { noExternal: true, external: notBundled },
})
