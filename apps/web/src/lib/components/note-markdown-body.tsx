import '../../ui/markdown.css'
import { ExternalLink, Image, Square, SquareCheck } from 'lucide-react'
import type { ComponentProps, ReactNode } from 'react'
import ReactMarkdown, { type Components } from 'react-markdown'
import { Link } from 'react-router-dom'
import { linkTarget } from '../format/inline-text.ts'
import { markdownPlugins } from '../format/markdown-plugins.ts'
import { useText } from '../i18n/i18n.ts'

const linkClass = 'text-accent-text underline decoration-accent/40 underline-offset-2 hover:decoration-current'

/** Content of `NoteMarkdown`, in a chunk loaded on first use. HTML is shown as text. */
export function NoteMarkdownBody({ text }: { text: string }) {
  return (
    <div className="markdown">
      <ReactMarkdown remarkPlugins={markdownPlugins} components={components}>
        {text}
      </ReactMarkdown>
    </div>
  )
}

function heading(depth: number) {
  // headings of a note rank below the screen's own; their depth only affects the size
  return ({ dir, children }: ComponentProps<'h3'>) => (
    <h3 data-depth={depth} dir={dir}>
      {children}
    </h3>
  )
}

const components: Components = {
  h1: heading(1),
  h2: heading(2),
  h3: heading(3),
  h4: heading(4),
  h5: heading(5),
  h6: heading(6),
  a: ({ href, children }) => <NoteLink href={href}>{children}</NoteLink>,
  // a link in place of the picture, because loading it would tell its host who reads this
  img: ({ src, alt }) => <PictureLink href={typeof src === 'string' ? src : undefined} alt={alt} />,
  table: ({ dir, children }) => <WideTable dir={dir}>{children}</WideTable>,
  input: ({ checked }) => <TaskMark isDone={checked === true} />,
}

function NoteLink({ href, children }: { href?: string; children?: ReactNode }) {
  const text = useText('notes')
  const target = linkTarget(href, typeof children === 'string' ? children : '')
  if (!target) return <span>{children}</span>
  if (target.kind === 'inside') {
    return (
      <Link to={target.path} className={linkClass}>
        {children}
      </Link>
    )
  }
  return (
    <a href={target.url} target="_blank" rel="noopener noreferrer" className={linkClass}>
      {children}
      {target.shownAddress && <small className="text-13 text-muted"> ({target.shownAddress})</small>}
      <ExternalLink aria-label={text('markdown.opensElsewhere')} className="ml-1 inline size-3.5 align-[-0.125em]" />
    </a>
  )
}

function PictureLink({ href, alt }: { href?: string; alt?: string }) {
  const text = useText('notes')
  return (
    <span className="inline-flex max-w-full items-baseline gap-1.5">
      <Image aria-hidden className="size-4 shrink-0 self-center text-muted" />
      <NoteLink href={href}>{alt?.trim() || text('markdown.image')}</NoteLink>
    </span>
  )
}

function TaskMark({ isDone }: { isDone: boolean }) {
  const text = useText('notes')
  const Mark = isDone ? SquareCheck : Square
  return (
    <Mark
      role="img"
      aria-label={text(isDone ? 'markdown.done' : 'markdown.open')}
      className="mr-1.5 inline size-4 align-[-0.15em] text-muted"
    />
  )
}

function WideTable({ dir, children }: ComponentProps<'table'>) {
  const text = useText('notes')
  return (
    <section
      aria-label={text('markdown.table')}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable area must be reachable by keyboard
      tabIndex={0}
      className="overflow-x-auto rounded-control border border-border"
    >
      <table dir={dir}>{children}</table>
    </section>
  )
}
