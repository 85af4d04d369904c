import { PanelRight, Play } from 'lucide-react'
import { type ReactNode, useContext, useEffect, useMemo, useState } from 'react'
import { useText } from '../../../lib/i18n/i18n.ts'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import { isRunnable, previewKindOf, ShowArtifactContext } from './artifact.ts'
import type { highlightCode } from './highlight-code.tsx'

/** Longer code isn't highlighted, because highlighting it again after every new letter would be slow. */
const HIGHLIGHTED_MAX_CHARACTERS = 20_000

type Highlight = typeof highlightCode
let loadedHighlight: Highlight | null = null

/** Code with its language and a copy button; known languages are highlighted. */
export function CodeBlock({ code, language }: { code: string; language: string }) {
  const text = useText('chat')
  const show = useContext(ShowArtifactContext)
  const isScript = isRunnable(previewKindOf(language, code))
  return (
    <figure className="overflow-hidden rounded-control border border-border bg-surface-sunken">
      <figcaption className="flex h-9 items-center justify-between gap-2 border-b border-border pr-1 pl-3 text-12 text-muted">
        <span className="truncate font-mono">{language || text('markdown.code')}</span>
        <span className="flex shrink-0">
          {show !== null && (
            <IconButton
              size="sm"
              name={text(isScript ? 'artifact.openToRun' : 'artifact.open')}
              icon={isScript ? <Play aria-hidden /> : <PanelRight aria-hidden />}
              onClick={() => show({ kind: 'code', code, language })}
            />
          )}
          <CopyButton text={code} label={text('markdown.copyCode')} copiedLabel={text('markdown.copied')} />
        </span>
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre tabIndex={0} className="overflow-x-auto px-3 py-2.5 font-mono text-13 focus-visible:-outline-offset-2">
        <code>{useHighlighted(code, language)}</code>
      </pre>
    </figure>
  )
}

function useHighlighted(code: string, language: string): ReactNode {
  const [highlight, setHighlight] = useState<Highlight | null>(() => loadedHighlight)
  const mayHighlight = language !== '' && code.length <= HIGHLIGHTED_MAX_CHARACTERS
  useEffect(() => {
    if (!mayHighlight || highlight) return
    let isGone = false
    import('./highlight-code.tsx')
      .then((module) => {
        loadedHighlight = module.highlightCode
        if (!isGone) setHighlight(() => module.highlightCode)
      })
      .catch((error: unknown) => console.error('The syntax highlighter could not be loaded', error))
    return () => {
      isGone = true
    }
  }, [mayHighlight, highlight])
  return useMemo(() => (mayHighlight && highlight?.(code, language)) || code, [code, language, mayHighlight, highlight])
}
