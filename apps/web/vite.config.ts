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

/**
 * Removes the random keys of the icons' SVG elements, which don't compress. They have no use in the built app: the elements are never
 * reordered, and React warns about missing keys only in development.
 */
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

/** Uses the production build of React Router: its package resolves to the development build, which has warnings. */
function routerWithoutWarnings(): Plugin {
  return {
    name: 'router-without-warnings',
    apply: 'build',
    enforce: 'pre',
    resolveId: {
      filter: { id: /^react-router(\/dom)?$/ },
      async handler(source, importer, options) {
        const resolved = await this.resolve(source, importer, { ...options, skipSelf: true })
        const id = resolved?.id.replace('/dist/development/', '/dist/production/')
        if (id === undefined || id === resolved?.id) return this.error('There is no router without warnings any more.')
        return { ...resolved, id }
      },
    },
  }
}

/**
 * Moves the module scripts in front of the inline script, which requests the files needed next, so that the browser starts loading
 * the modules before it runs the inline script. They still run after the page has been parsed, as all modules do.
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

/** Preloads the font of the Latin script in parallel with the styles, not after them, so that text gets its final font one step earlier. */
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
 * Inlines the scripts that run before the first paint, so that they send their requests as soon as the page has arrived. The server's
 * content security policy allows them by their hashes.
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

/**
 * Lists the files that a signed-in user needs immediately in a `<meta>` element, from which before-first-paint.js requests them while
 * the first scripts are still loading.
 */
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

/** True for the script that is already loaded whenever another one is requested, so that it needs no preload. */
const isAlwaysLoaded = (file: string) => /\/start-[\w-]{8}\.js$/.test(file)

/** Maximum size compressed with Brotli's highest quality, which makes scripts 7 % smaller, but slows the build down. */
const MAX_BEST_QUALITY_BYTES = 500_000

/** Also writes compressed copies of the files that become much smaller (`.br` and `.gz`), which the server sends. */
function compressFiles(): Plugin {
  const isCompressible = (file: string) => /^assets\/.*\.(m?js|css|json|svg|wasm)$/.test(file)
  return {
    name: 'compress-files',
    apply: 'build',
    async writeBundle({ dir = '' }, bundle) {
      const compress = async (file: string) => {
        const content = await readFile(join(dir, file))
        const quality = content.length > MAX_BEST_QUALITY_BYTES ? 9 : constants.BROTLI_MAX_QUALITY
        const params = { [constants.BROTLI_PARAM_QUALITY]: quality }
        await writeFile(join(dir, `${file}.br`), await promisify(brotliCompress)(content, { params }))
        await writeFile(join(dir, `${file}.gz`), await promisify(gzip)(content, { level: 9 }))
      }
      await Promise.all(Object.keys(bundle).filter(isCompressible).map(compress))
    },
  }
}

/** The web app: built to `dist`, which the API serves; in development, Vite serves it and proxies `/api`. */
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
      resolveDependencies: (file, dependencies) =>
        dependencies.filter((dependency) => dependency !== file && !isAlwaysLoaded(dependency)),
    },
    rolldownOptions: { output: { codeSplitting: { groups: chunkGroups() } } },
  },
  server: {
    proxy: { '/api': { target: `http://127.0.0.1:${apiPort}` } },
  },
})
