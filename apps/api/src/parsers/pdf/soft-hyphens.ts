// Makes pdf.js keep soft hyphens. It treats them as invisible, but InDesign, Word and LaTeX draw them at line breaks in words.
import { registerHooks } from 'node:module'

const INVISIBLE = 'isInvisibleFormatMark: !!groups?.[3]'

registerHooks({
  load: (url, context, nextLoad) => {
    const loaded = nextLoad(url, context)
    if (!url.endsWith('/pdfjs-dist/legacy/build/pdf.worker.mjs')) return loaded
    return { ...loaded, source: String(loaded.source).replace(INVISIBLE, `${INVISIBLE} && char !== '\\u00AD'`) }
  },
})
