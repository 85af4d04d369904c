import { useText } from '../../lib/i18n.ts'
import { CopyButton } from '../../ui/copy-button.tsx'

/** Code with the name of its language and a button that copies it. */
export function CodeBlock({ code, language }: { code: string; language: string }) {
  const text = useText('chat')
  return (
    <figure className="overflow-hidden rounded-control border border-border bg-surface-sunken">
      <figcaption className="flex h-9 items-center justify-between gap-2 border-b border-border pr-1 pl-3 text-12 text-muted">
        <span className="truncate font-mono">{language || text('markdown.code')}</span>
        <CopyButton text={code} label={text('markdown.copyCode')} copiedLabel={text('markdown.copied')} />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre tabIndex={0} className="overflow-x-auto px-3 py-2.5 font-mono text-13 focus-visible:-outline-offset-2">
        <code>{code}</code>
      </pre>
    </figure>
  )
}
