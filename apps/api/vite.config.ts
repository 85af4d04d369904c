import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join, relative, sep } from 'node:path'
import { defineConfig, normalizePath, type Plugin } from 'vite'
import { readerSources } from './src/platform/sandbox/compiled-readers.ts'

const sourceDir = join(import.meta.dirname, 'src')
export const outDir = join(import.meta.dirname, 'dist')

export const readers = readerSources()
const readerNames = readers.map((path) => basename(path, '.ts'))
const READER = /new URL\('\.[^']*\/([\w-]+-process)\.ts', import\.meta\.url\)/g

/**
 * Lets `import.meta` of a bundled module mean its place in src still, where its workers and its data files are, except that
 * parsers are those of `vite.readers.config.ts`.
 */
export const placesInSource: Plugin = {
  name: 'places-in-source',
  enforce: 'pre',
  transform(code, id) {
    if (!id.startsWith(`${normalizePath(sourceDir)}/`)) return null
    const place = relative(outDir, id).replaceAll(sep, '/')
    return code
      .replace(READER, (_, name: string) => {
        if (!readerNames.includes(name)) throw new Error(`${name} isn't among the parsers to bundle.`)
        // written so that it isn't taken for a place in src
        return `new URL('./${name}.mjs', import.meta['url'])`
      })
      .replaceAll('import.meta.dirname', `(import.meta.dirname + ${JSON.stringify(`/${dirname(place)}`)})`)
      .replaceAll('import.meta.url', `new URL(${JSON.stringify(place)}, import.meta.url).href`)
  },
}

const DAY_MS = 24 * 3_600_000

/** Removes the files of earlier builds once no running server is likely to load a part of itself from them. */
const withoutOldFiles: Plugin = {
  name: 'without-old-files',
  buildStart() {
    mkdirSync(outDir, { recursive: true })
    const files = readdirSync(outDir).map((name) => join(outDir, name))
    for (const file of files) if (Date.now() - statSync(file).mtimeMs > DAY_MS) rmSync(file, { recursive: true })
  },
}

/** Escapes what lies beyond Latin-1: V8 keeps a file in two bytes a character once one of them does, 18 MB in all. */
export const oneByteCharacters: Plugin = {
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

/** Packages that stay where they are: of native code, or loaded only when they are needed, so that bundling them saves no time. */
const notBundled = [
  ...['bcrypt', 'piscina', 'sharp'],
  ...['@aws-sdk/client-s3', '@aws-sdk/lib-storage', '@tus/file-store', '@tus/server'],
  ...['@modelcontextprotocol/client', '@modelcontextprotocol/server'],
  ...['@simplewebauthn/server', '@zxcvbn-ts/core', '@zxcvbn-ts/language-common', 'openid-client', 'otpauth'],
  ...['file-type', 'openai', 'undici', 'web-push'],
  // benches count its statements
  'pg',
]

/**
 * The server in a few files, which load in a fraction of the time that 1,600 take (docs/decisions/001); threads run from
 * src. Browser tests start it by the entries beside the server.
 */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [placesInSource, oneByteCharacters, withoutOldFiles],
  build: {
    ssr: true,
    target: 'node22',
    outDir,
    emptyOutDir: false,
    rolldownOptions: {
      input: { server: 'src/server.ts', serve: 'src/serve.ts', sandboxing: 'src/platform/sandbox/sandboxing.ts' },
      output: { entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' },
    },
  },
  ssr: { noExternal: true, external: notBundled },
})
