import { defineConfig } from 'vite'

/** Bundles the command-line program into one file, which needs no packages when installed alone. */
export default defineConfig({
  root: import.meta.dirname,
  build: {
    ssr: 'src/main.ts',
    target: 'node20',
    outDir: 'dist',
    rolldownOptions: { output: { entryFileNames: 'mira.mjs', codeSplitting: false } },
  },
  ssr: { noExternal: true },
})
