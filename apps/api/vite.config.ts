import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join, relative, sep } from 'node:path'
import { defineConfig, normalizePath, type Plugin } from 'vite'
import { readerSources } from './src/platform/sandbox/compiled-readers.ts'

const sourceDir = join(import.meta.dirname, 'src')
export const outDir = join(import.meta.dirname, 'dist')

const readerNames = readerSources().map((path) => basename(path, '.ts'))
const READER = /new URL\('\.[^']*\/([\w-]+-process)\.ts', import\.meta\.url\)/g

/**
 * Makes `import.meta` of a bundled module still refer to the module's path in src, where its workers and its data files are.
 * Parsers are the exception: theirs are the bundles of `vite.readers.config.ts`.
 */
export const keepSourcePaths: Plugin = {
  name: 'keep-source-paths',
  enforce: 'pre',
  transform(code, id) {
    if (!id.startsWith(`${normalizePath(sourceDir)}/`)) return null
    const sourcePath = relative(outDir, id).replaceAll(sep, '/')
    return code
      .replace(READER, (_, name: string) => {
        if (!readerNames.includes(name)) throw new Error(`${name} isn't among the parsers to bundle.`)
        // written so that the replacement below doesn't turn it into a path in src
        return `new URL('./${name}.mjs', import.meta['url'])`
      })
      .replaceAll('import.meta.dirname', `(import.meta.dirname + ${JSON.stringify(`/${dirname(sourcePath)}`)})`)
      .replaceAll('import.meta.url', `new URL(${JSON.stringify(sourcePath)}, import.meta.url).href`)
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

/** Escapes characters outside Latin-1: a single one makes V8 store its file with two bytes per character, 18 MB in all. */
export const oneByteCharacters: Plugin = {
  name: 'one-byte-characters',
  // last, because the step that prints the chunks would undo it
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

/** Packages that aren't bundled: they contain native code, or are loaded only when needed, so bundling would save no time. */
const notBundled = [
  ...['bcrypt', 'piscina', 'sharp'],
  ...['@aws-sdk/client-s3', '@aws-sdk/lib-storage', '@tus/file-store', '@tus/server'],
  ...['@modelcontextprotocol/client', '@modelcontextprotocol/server'],
  ...['@simplewebauthn/server', '@zxcvbn-ts/core', '@zxcvbn-ts/language-common', 'openid-client', 'otpauth'],
  ...['file-type', 'openai', 'undici', 'web-push'],
  // benchmarks count the statements that it sends
  'pg',
]

/**
 * Bundles the server into a few files, which load in a fraction of the time that the 1,600 sources take (docs/decisions/001);
 * threads run from src. Browser tests start the server through the other two entries.
 */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [keepSourcePaths, oneByteCharacters, withoutOldFiles],
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
