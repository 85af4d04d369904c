import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig, minify, type Plugin } from 'vite'
import { chunkGroups } from './build/chunks.ts'
import { compileMessages } from './build/compile-messages.ts'
import { runtimeInStart } from './build/runtime-in-start.ts'
import { signedInFiles } from './build/signed-in-files.ts'

const apiPort = process.env.MIRA_API_PORT ?? '3000'

/** Leaves out the random keys of an icon's lines, which never move: React asks for them while one develops, and nothing packs them. */
function iconsWithoutKeys(): Plugin {
  return {
    name: 'icons-without-keys',
    apply: 'build',
    transform: {
      filter: { id: /\/lucide-react\/dist\/esm\/icons\// },
      handler: (code) => ({ code: code.replaceAll(/,\s*key: "\w+"/g, ''), map: null }),
    },
  }
}

/** Builds with the router as it is meant for people: its package names the one with warnings for whoever develops. */
function routerWithoutWarnings(): Plugin {
  return {
    name: 'router-without-warnings',
    apply: 'build',
    enforce: 'pre',
    resolveId: {
      filter: { id: /^react-router(\/dom)?$/ },
      async handler(source, importer, options) {
        const found = await this.resolve(source, importer, { ...options, skipSelf: true })
        const id = found?.id.replace('/dist/development/', '/dist/production/')
        if (id === undefined || id === found?.id) return this.error('There is no router without warnings any more.')
        return { ...found, id }
      },
    },
  }
}

/**
 * Puts the first scripts before the one in the page, which asks for what comes after them: the browser knows of them before it runs
 * that. They run after the page all the same, as modules do.
 */
function firstScriptsFirst(): Plugin {
  const modules = /\s*<script type="module"[^>]*><\/script>/g
  return {
    name: 'first-scripts-first',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler: (html) => {
        const first = html.match(modules)?.join('') ?? ''
        return html.replaceAll(modules, '').replace('<script>', () => `${first.trim()}\n    <script>`)
      },
    },
  }
}

/** Asks for the font of the Latin script together with the styles, not after them: text settles one step earlier. */
function preloadLatinFont(): Plugin {
  return {
    name: 'preload-latin-font',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler: (_html, { bundle }) =>
        Object.keys(bundle ?? {})
          .filter((file) => /inter-latin-400-700-.*\.woff2$/.test(file))
          .map((file) => ({
            tag: 'link',
            attrs: { rel: 'preload', as: 'font', type: 'font/woff2', href: `/${file}`, crossorigin: '' },
            injectTo: 'head',
          })),
    },
  }
}

/**
 * Puts what runs before the first paint into the page: what it asks for is asked for as soon as the page is there. The server lets it
 * run by its hash.
 */
function inlineFirstScripts(): Plugin {
  return {
    name: 'inline-first-scripts',
    transformIndexHtml: {
      order: 'pre',
      handler: async (html) => {
        let page = html
        for (const name of ['old-browser.js', 'before-first-paint.js']) {
          const file = join(import.meta.dirname, 'src', name)
          const { code } = await minify(file, await readFile(file, 'utf8'), { module: false })
          page = page.replace(`<script src="/src/${name}"></script>`, () => `<script>${code}</script>`)
        }
        return page
      },
    },
  }
}

/** Names the files that whoever is signed in needs at once: before-first-paint.js asks for them while the first ones still load. */
function nameSignedInFiles(): Plugin {
  return {
    name: 'name-signed-in-files',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler: (_html, { bundle = {} }) => {
        const content = JSON.stringify(signedInFiles(Object.values(bundle)))
        return [{ tag: 'meta', attrs: { name: 'signed-in-files', content }, injectTo: 'head-prepend' }]
      },
    },
  }
}

/** The script that is there whenever another one is asked for: nothing need name it to have it come early. */
const isAlwaysThere = (file: string) => /\/start-[\w-]{8}\.js$/.test(file)

/** Above this size Brotli's highest quality, which makes scripts 7 % smaller, would slow the build down too much. */
const LARGEST_PACKED_TIGHTLY_BYTES = 500_000

/** Writes what becomes much smaller compressed as well, `.br` and `.gz` beside it, as the server sends it. */
function compressFiles(): Plugin {
  const isSmaller = (file: string) => /^assets\/.*\.(m?js|css|json|svg|wasm)$/.test(file)
  return {
    name: 'compress-files',
    apply: 'build',
    async writeBundle({ dir = '' }, bundle) {
      const compress = async (file: string) => {
        const content = await readFile(join(dir, file))
        const quality = content.length > LARGEST_PACKED_TIGHTLY_BYTES ? 9 : constants.BROTLI_MAX_QUALITY
        const params = { [constants.BROTLI_PARAM_QUALITY]: quality }
        await writeFile(join(dir, `${file}.br`), await promisify(brotliCompress)(content, { params }))
        await writeFile(join(dir, `${file}.gz`), await promisify(gzip)(content, { level: 9 }))
      }
      await Promise.all(Object.keys(bundle).filter(isSmaller).map(compress))
    },
  }
}

/** The web app: built to `dist`, which the API serves; in development Vite serves it and hands `/api` on. */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [
    compileMessages(),
    react(),
    tailwindcss(),
    iconsWithoutKeys(),
    routerWithoutWarnings(),
    runtimeInStart(),
    preloadLatinFont(),
    inlineFirstScripts(),
    firstScriptsFirst(),
    nameSignedInFiles(),
    compressFiles(),
  ],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    // The content security policy allows no data: fonts or scripts.
    assetsInlineLimit: 0,
    modulePreload: {
      polyfill: false,
      resolveDependencies: (file, needed) => needed.filter((one) => one !== file && !isAlwaysThere(one)),
    },
    rolldownOptions: { output: { codeSplitting: { groups: chunkGroups() } } },
  },
  server: {
    proxy: { '/api': { target: `http://127.0.0.1:${apiPort}` } },
  },
})
