import { createContext } from 'react'
import { CITATION } from './citation-attribute.ts'

/** Code or a table from an answer, which can be opened beside the conversation. */
export type Artifact = { kind: 'code'; code: string; language: string } | { kind: 'table'; rows: string[][] }

/** Opens an artifact beside the conversation; null where there's no panel for it. */
export const ShowArtifactContext = createContext<((artifact: Artifact) => void) | null>(null)

/** Way to preview or run code. */
export type PreviewKind = 'html' | 'svg' | 'mermaid' | 'script' | 'python'

const previewKinds: Readonly<Record<string, PreviewKind>> = {
  html: 'html',
  htm: 'html',
  svg: 'svg',
  mermaid: 'mermaid',
  js: 'script',
  javascript: 'script',
  mjs: 'script',
  python: 'python',
  py: 'python',
  python3: 'python',
}

/** True for code that the user runs with a button; previews of other kinds are shown immediately. */
export function isRunnable(kind: PreviewKind | null): kind is 'script' | 'python' {
  return kind === 'script' || kind === 'python'
}

/** Preview for code of a language; null when there's none. */
export function previewKindOf(language: string, code: string): PreviewKind | null {
  const kind = Object.hasOwn(previewKinds, language.toLowerCase())
    ? (previewKinds[language.toLowerCase()] ?? null)
    : null
  if (kind !== null) return kind
  return language.toLowerCase() === 'xml' && /^\s*(<\?xml[^>]*>\s*)?<svg[\s>]/.test(code) ? 'svg' : null
}

const extensions: Readonly<Record<string, string>> = {
  html: 'html',
  svg: 'svg',
  xml: 'xml',
  mermaid: 'mmd',
  javascript: 'js',
  js: 'js',
  typescript: 'ts',
  ts: 'ts',
  python: 'py',
  py: 'py',
  json: 'json',
  css: 'css',
  sql: 'sql',
  markdown: 'md',
  md: 'md',
  yaml: 'yml',
  yml: 'yml',
  bash: 'sh',
  sh: 'sh',
  shell: 'sh',
  csv: 'csv',
  java: 'java',
  rust: 'rs',
  go: 'go',
  c: 'c',
  cpp: 'cpp',
  php: 'php',
}

/** File extension for code in a language. */
export function extensionOf(language: string): string {
  const name = language.toLowerCase()
  return Object.hasOwn(extensions, name) ? (extensions[name] ?? 'txt') : 'txt'
}

/** Rows as CSV; cells that a spreadsheet would take for a formula are escaped. */
export function csvOf(rows: readonly (readonly string[])[]): string {
  const cell = (text: string) => {
    const plain = /^[=+\-@\t\r]/.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text
    return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain
  }
  // the byte order mark tells spreadsheets that it's UTF-8
  return `\uFEFF${rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('')}`
}

/** Texts of a rendered table's cells, with formulas as LaTeX, and without citations and the addresses of links. */
export function rowsOf(table: HTMLTableElement): string[][] {
  const copy = table.cloneNode(true) as HTMLTableElement
  for (const formula of copy.querySelectorAll('.katex')) {
    formula.replaceWith(formula.querySelector('annotation')?.textContent ?? formula.textContent)
  }
  for (const addition of copy.querySelectorAll(`[${CITATION}], a small`)) addition.remove()
  return [...copy.rows].map((row) => [...row.cells].map((cell) => cell.textContent.trim()))
}

/** A table as a CSV file. */
export function tableFile(rows: readonly (readonly string[])[]): { blob: Blob; name: string } {
  return { blob: new Blob([csvOf(rows)], { type: 'text/csv' }), name: 'table.csv' }
}
