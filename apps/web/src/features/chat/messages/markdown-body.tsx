import '../../../ui/markdown.css'
import { Download, ExternalLink, Image, PanelRight, Square, SquareCheck } from 'lucide-react'
import { type ComponentProps, memo, type ReactNode, useContext, useEffect, useId, useRef, useState } from 'react'
import ReactMarkdown, { type Components, type ExtraProps } from 'react-markdown'
import { Link } from 'react-router-dom'
import { saveFile } from '../../../lib/browser/save-file.ts'
import { linkTarget } from '../../../lib/format/inline-text.ts'
import { completeMarkdown, splitMarkdown } from '../../../lib/format/markdown-blocks.ts'
import { markdownPlugins } from '../../../lib/format/markdown-plugins.ts'
import { useText } from '../../../lib/i18n/i18n.ts'
import { ErrorBoundary } from '../../../ui/error-boundary.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import { rowsOf, ShowArtifactContext, tableFile } from './artifact.ts'
import { Citation, remarkCitations } from './citation.tsx'
import { CITATION } from './citation-attribute.ts'
import { CodeBlock } from './code-block.tsx'
import type * as formulas from './formulas.tsx'
import { mayContainMaths, normaliseMaths, withoutOpenFormula } from './maths.ts'
import { PlainText } from './plain-text.tsx'

const plugins = [...markdownPlugins, remarkCitations]

/** Content of `Markdown`, in a chunk loaded on first use. HTML is shown as text. */
export function MarkdownBody({ text, isStreaming }: MarkdownProps) {
  const maths = useMaths(text)
  const shownText = isStreaming ? withoutOpenFormula(text) : text
  const blocks = splitMarkdown(maths ? normaliseMaths(shownText) : shownText)
  const last = blocks.at(-1) ?? ''
  const shownBlocks = [...blocks.slice(0, -1), isStreaming ? completeMarkdown(last) : last]
  return (
    <div className="markdown" data-streaming={isStreaming ? '' : undefined}>
      {shownBlocks.map((block, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a block keeps its place while the text grows behind it
        <ErrorBoundary key={index} resetKey={block} fallback={<PlainText text={block} />}>
          <Block text={block} maths={maths} />
        </ErrorBoundary>
      ))}
      {isStreaming && shownBlocks.at(-1)?.trim() === '' && <p />}
    </div>
  )
}

/** Memoised, so that parts that no longer change aren't parsed again. */
const Block = memo(function Block({ text, maths }: { text: string; maths: Maths | null }) {
  const chatText = useText('chat')
  const id = useId()
  return (
    <ReactMarkdown
      remarkPlugins={maths ? [...plugins, ...maths.formulaPlugins] : plugins}
      remarkRehypeOptions={{
        // makes footnote ids unique to this text
        clobberPrefix: `${id}-`,
        footnoteLabel: chatText('markdown.footnotes'),
        footnoteBackLabel: (index) => chatText('markdown.backToFootnote', { number: index + 1 }),
      }}
      components={components}
    >
      {text}
    </ReactMarkdown>
  )
})

type Maths = typeof formulas

let loadedMaths: Maths | null = null

/** The formula renderer, once a text needs it and it has loaded. */
function useMaths(markdown: string): Maths | null {
  const [maths, setMaths] = useState(loadedMaths)
  const isNeeded = mayContainMaths(markdown)
  useEffect(() => {
    if (!isNeeded || maths) return
    let isGone = false
    import('./formulas.tsx')
      .then((module) => {
        loadedMaths = module
        if (!isGone) setMaths(loadedMaths)
      })
      .catch((error: unknown) => console.error('The formula renderer could not be loaded', error))
    return () => {
      isGone = true
    }
  }, [isNeeded, maths])
  return isNeeded ? maths : null
}

function heading(depth: number) {
  // Headings of an answer rank below the message's own; their depth only affects the size.
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
  a: LinkOrCitation,
  img: ({ src, alt }) => <ImageLink href={typeof src === 'string' ? src : undefined} alt={alt} />,
  pre: PreformattedCode,
  code: InlineCode,
  table: Table,
  input: TaskCheckbox,
}

function LinkOrCitation({ href, children, ...props }: ComponentProps<'a'> & { [CITATION]?: string }) {
  const number = props[CITATION]
  if (number !== undefined) return <Citation number={Number(number)}>{children}</Citation>
  if (href?.startsWith('#') && isFootnoteLink(props)) {
    return (
      <a href={href} id={props.id} aria-label={props['aria-label']} className="px-0.5 text-accent-text">
        {children}
      </a>
    )
  }
  return <Anchor href={href}>{children}</Anchor>
}

/** True for a footnote's reference and back link, which links in the text can't imitate. */
const isFootnoteLink = (props: object) => 'data-footnote-ref' in props || 'data-footnote-backref' in props

/** A link inside the app, or an external one that opens in a new tab and shows its host or email address, unless its text does. */
function Anchor({ href, children }: { href?: string; children?: ReactNode }) {
  const text = useText('chat')
  const target = linkTarget(href, textOf(children))
  if (!target) return <span>{children}</span>
  const linkClass =
    'text-accent-text underline decoration-accent/40 underline-offset-2 transition-colors hover:decoration-current'
  if (target.kind === 'inside') {
    return (
      <Link to={target.path} className={linkClass}>
        {children}
      </Link>
    )
  }
  return (
    <a
      href={target.url}
      target="_blank"
      rel="noopener noreferrer"
      className="text-accent-text hover:[&>span]:decoration-current"
    >
      <span className={linkClass}>{children}</span>
      {target.shownAddress && <small className="text-13 text-muted"> ({target.shownAddress})</small>}
      <ExternalLink
        aria-label={text('markdown.opensElsewhere')}
        className="ml-1 inline size-3.5 align-[-0.125em] opacity-70"
      />
    </a>
  )
}

/** Link in place of a picture, because loading the picture would reveal the reader to its host. */
function ImageLink({ href, alt }: { href?: string; alt?: string }) {
  const text = useText('chat')
  const name = alt?.trim() || text('markdown.image')
  return (
    <span className="inline-flex max-w-full items-baseline gap-1.5">
      <Image aria-hidden className="size-4 shrink-0 self-center text-muted" />
      <Anchor href={href}>{name}</Anchor>
    </span>
  )
}

function PreformattedCode({ node }: ComponentProps<'pre'> & ExtraProps) {
  const code = node?.children[0]
  if (code?.type !== 'element') return null
  const classes = [code.properties.className].flat().filter((name) => typeof name === 'string')
  const source = code.children.map((child) => (child.type === 'text' ? child.value : '')).join('')
  if (loadedMaths && classes.includes('math-display')) return <loadedMaths.Formula source={source} isDisplayed />
  const language = classes.find((name) => name.startsWith('language-'))?.slice(9)
  return <CodeBlock code={source.replace(/\n$/, '')} language={language ?? ''} />
}

function InlineCode({ className, children }: ComponentProps<'code'>) {
  if (loadedMaths && className?.split(' ').includes('math-inline')) {
    return <loadedMaths.Formula source={textOf(children)} isDisplayed={false} />
  }
  return <code>{children}</code>
}

function Table({ dir, children }: ComponentProps<'table'>) {
  const text = useText('chat')
  const show = useContext(ShowArtifactContext)
  const table = useRef<HTMLTableElement>(null)
  const rows = () => (table.current === null ? [] : rowsOf(table.current))
  return (
    <div className="flex flex-col items-end gap-1">
      {/* biome-ignore lint/a11y/useSemanticElements: a section would be a landmark, and a conversation can have many tables */}
      <div
        role="group"
        aria-label={text('markdown.table')}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        tabIndex={0}
        className="max-w-full self-stretch overflow-x-auto rounded-control border border-border"
      >
        <table ref={table} dir={dir}>
          {children}
        </table>
      </div>
      {show !== null && (
        <span className="flex">
          <IconButton
            size="sm"
            name={text('artifact.csv')}
            icon={<Download aria-hidden />}
            onClick={() => saveFile(tableFile(rows()))}
          />
          <IconButton
            size="sm"
            name={text('artifact.open')}
            icon={<PanelRight aria-hidden />}
            onClick={() => show({ kind: 'table', rows: rows() })}
          />
        </span>
      )}
    </div>
  )
}

function TaskCheckbox({ checked }: ComponentProps<'input'>) {
  const text = useText('chat')
  const Mark = checked ? SquareCheck : Square
  return (
    <Mark
      role="img"
      aria-label={text(checked ? 'markdown.done' : 'markdown.open')}
      className="mr-1.5 inline size-4 align-[-0.15em] text-muted"
    />
  )
}

function textOf(children: ReactNode): string {
  return [children]
    .flat(9)
    .filter((child) => typeof child === 'string')
    .join('')
}

export type MarkdownProps = {
  text: string
  /** True while more text is coming: shows a caret at the end and keeps unfinished syntax from flickering. */
  isStreaming: boolean
}
