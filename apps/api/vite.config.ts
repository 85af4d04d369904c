import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { defineConfig, normalizePath, type Plugin } from 'vite'

const sourceDir = join(import.meta.dirname, 'src')
const outDir = join(import.meta.dirname, 'dist')

/** Lets `import.meta` of a bundled module mean its place in src still, where its workers, their modules and its data files are. */
const placesInSource: Plugin = {
  name: 'places-in-source',
  enforce: 'pre',
  transform(code, id) {
    if (!id.startsWith(`${normalizePath(sourceDir)}/`)) return null
    const place = relative(outDir, id).replaceAll(sep, '/')
    return code
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
    for (const file of files) if (Date.now() - statSync(file).mtimeMs > DAY_MS) rmSync(file)
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
 * The server in a few files, which load in a fraction of the time that 1,600 take (docs/decisions/001); other threads and
 * processes run from src. Browser tests start it by the entries beside the server.
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
      input: { server: 'src/server.ts', serve: 'src/serve.ts', caging: 'src/platform/sandbox/caging.ts' },
      output: { entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' },
    },
  },
  ssr: { noExternal: true, external: notBundled },
})
