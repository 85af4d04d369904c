import { defineConfig } from 'vite'

/** One file with everything in it, for every Node that can run it: installed alone, it needs no package. */
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
