import process from 'node:process'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'
import { compileMessages } from './compile-messages.ts'

const apiPort = process.env.MIRA_API_PORT ?? '3000'

/** Asks for the font of the Latin script together with the styles, not after them: text settles one step earlier. */
function preloadLatinFont(): Plugin {
  return {
    name: 'preload-latin-font',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler: (_html, { bundle }) =>
        Object.keys(bundle ?? {})
          .filter((file) => /inter-latin-wght-normal-.*\.woff2$/.test(file))
          .map((file) => ({
            tag: 'link',
            attrs: { rel: 'preload', as: 'font', type: 'font/woff2', href: `/${file}`, crossorigin: '' },
            injectTo: 'head',
          })),
    },
  }
}

/** The web app: built to `dist`, which the API serves; in development Vite serves it and hands `/api` on. */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [compileMessages(), react(), tailwindcss(), preloadLatinFont()],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    // The content security policy allows no data: fonts or scripts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  server: {
    proxy: { '/api': { target: `http://127.0.0.1:${apiPort}` } },
  },
})
