import { basename } from 'node:path'
import { defineConfig, type Plugin } from 'vite'
import { readerSources } from './src/platform/sandbox/compiled-readers.ts'
import { keepSourcePaths, oneByteCharacters, outDir } from './vite.config.ts'

/** Packages that can't be bundled: they load files next to their own, such as native code, WebAssembly, threads or packages. */
const notBundled = [
  ...['@huggingface/transformers', 'file-type', 'fluent-ffmpeg', 'jxl-oxide-wasm', 'libheif-js', 'node-av'],
  ...['onnxruntime-node', 'pdf-parse', 'sharp', 'tesseract.js'],
]

/** Rejects packages that work only unbundled, since they would fail only when they're used. */
const onlyModules: Plugin = {
  name: 'only-modules',
  generateBundle(_, bundle) {
    for (const chunk of Object.values(bundle)) {
      const name = chunk.type === 'chunk' ? /\b__(?:dirname|filename)\b/.exec(chunk.code)?.[0] : undefined
      if (name !== undefined) throw new Error(`${chunk.fileName} uses ${name}: leave the package out of the bundle.`)
    }
  },
}

/** Bundles each parser of untrusted files into a few files that load fast: when users take turns, each turn starts a process. */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [keepSourcePaths, oneByteCharacters, onlyModules],
  define: { 'process.env.NODE_ENV': '"production"' },
  build: {
    ssr: true,
    target: 'node22',
    outDir,
    emptyOutDir: false,
    rolldownOptions: {
      input: Object.fromEntries(readerSources().map((path) => [basename(path, '.ts'), path])),
      output: { entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' },
    },
  },
  ssr: { noExternal: true, external: notBundled },
})
