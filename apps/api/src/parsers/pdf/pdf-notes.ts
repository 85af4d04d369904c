// Texts of a page outside its text layer: form fields, comments and stamps.

import { cutText } from '@mira/shared/constants/cut-text'
import type { EmbeddedFile } from './pdf-attached.ts'
import type { PlacedText } from './pdf-lines.ts'

/** Annotation of pdf.js, with the fields that are used here. */
export interface PdfAnnotation {
  id?: string
  subtype?: string
  /** True when the file contains a drawing of it. */
  hasAppearance?: boolean
  rect?: number[]
  hidden?: boolean
  fieldType?: string
  fieldName?: string
  fieldValue?: string | string[] | null
  /** Readable name of the field. */
  alternativeText?: string
  password?: boolean
  checkBox?: boolean
  radioButton?: boolean
  exportValue?: string
  buttonValue?: string
  options?: { exportValue: string; displayValue: string }[]
  contentsObj?: { str: string }
  titleObj?: { str: string }
  richText?: { str?: string }
  textContent?: string[]
  /** Attached file. */
  file?: EmbeddedFile
  /** Set for replies that only give a state, such as “accepted”. */
  stateModel?: string
}

const MAX_ANNOTATIONS = 5_000
const MAX_LABEL_CHARACTERS = 120
/** Largest distance of a label from its field, in points. */
const MAX_DISTANCE = 150
/** Largest gap between words of a label. */
const WORD_DISTANCE = 8
const WITHOUT_TEXT = new Set(['Link', 'Popup', 'Widget', 'PrinterMark', 'TrapNet', 'Watermark'])

/** Lines of a page's fields and comments; '' for none. @param textsOf page text, for fields without a readable name. */
export async function notesOf(annotations: PdfAnnotation[], textsOf: () => Promise<PlacedText[]>): Promise<string> {
  const visibleAnnotations = annotations.slice(0, MAX_ANNOTATIONS).filter(({ hidden }) => !hidden)
  const fields = visibleAnnotations.flatMap((one) => {
    const value = contentOf(one)
    return value === null ? [] : [{ ...one, ...value }]
  })
  const isNameless = fields.some(({ alternativeText }) => !alternativeText?.trim())
  const texts = isNameless ? await textsOf() : []
  const lines = fields.map((field) => {
    const label = labelOf(field, texts)
    if (field.mark !== undefined) return `${field.mark} ${label}`
    return label === '' ? field.text : `${label.replace(/:$/, '')}: ${field.text}`
  })
  return [...new Set([...lines, ...visibleAnnotations.map(commentOf)])].filter((line) => line.trim() !== '').join('\n')
}

/** Content of a form field, text or mark; null when empty. */
function contentOf(field: PdfAnnotation): { text: string; mark?: string } | null {
  const { subtype, fieldType, fieldValue, checkBox, radioButton, exportValue, buttonValue, options, password } = field
  const { textContent = [] } = field
  if (subtype !== 'Widget' || password) return null
  const values = (Array.isArray(fieldValue) ? fieldValue : [fieldValue ?? '']).map(String)
  if (checkBox) return { text: '', mark: values[0] !== '' && values[0] === exportValue ? '☑' : '☐' }
  if (radioButton) return { text: buttonValue ?? '', mark: values[0] !== '' && values[0] === buttonValue ? '◉' : '○' }
  if (fieldType !== 'Tx' && fieldType !== 'Ch') return null
  const displayed = values.map(
    (value) => options?.find((option) => option.exportValue === value)?.displayValue ?? value,
  )
  // some programs only draw the value
  const text = displayed.join(', ').trim() || (fieldType === 'Tx' ? textContent.join(' ').trim() : '')
  return text === '' ? null : { text }
}

const isSignature = ({ subtype, fieldType }: PdfAnnotation) => subtype === 'Widget' && fieldType === 'Sig'

/** True for a signature or stamp whose text is only drawn. */
export function isOnlyDrawn(annotation: PdfAnnotation): boolean {
  const { subtype, hidden, hasAppearance, contentsObj } = annotation
  return !hidden && hasAppearance === true && (isSignature(annotation) || (subtype === 'Stamp' && !contentsObj?.str))
}

/** Text of a comment with its author; '' for none. */
function commentOf(annotation: PdfAnnotation): string {
  const { subtype, contentsObj, richText, textContent, titleObj, stateModel } = annotation
  if (subtype === undefined || (WITHOUT_TEXT.has(subtype) && !isSignature(annotation)) || stateModel) return ''
  const text = (contentsObj?.str || richText?.str || textContent?.join(' ') || '').trim()
  const author = titleObj?.str.trim() ?? ''
  return text === '' || author === '' || subtype === 'FreeText' ? text : `${author}: ${text}`
}

/** Readable name of a field; without one, the text next to the field, or its technical name. */
function labelOf(field: PdfAnnotation & { mark?: string }, texts: PlacedText[]): string {
  const readableName = field.alternativeText?.trim()
  const sides = field.mark === undefined ? (['left', 'above'] as const) : (['right', 'left'] as const)
  const label = readableName || sides.map((side) => textBeside(field.rect, texts, side)).find((text) => text !== '')
  const name = label || (field.fieldName ?? '').replace(/^.*[.\]](?=[^.\]])/s, '')
  return cutText(name, MAX_LABEL_CHARACTERS).toWellFormed()
}

/** The words next to a field on one of its sides. */
function textBeside(rect: number[] | undefined, texts: PlacedText[], side: 'left' | 'right' | 'above'): string {
  const [left = 0, bottom = 0, right = 0, top = 0] = rect ?? []
  const middle = (bottom + top) / 2
  const placedTexts = texts
    .map(({ str, transform: [, , , , x = 0, y = 0], width, height }) => ({ str, x, end: x + width, y, height }))
    .filter(({ str }) => str.trim() !== '')
  const isOnLine = (y: number, height: number) => Math.abs(y + height / 2 - middle) < Math.max(height, 8)
  let edge = side === 'right' ? right : left
  if (side === 'above') {
    const line = placedTexts.filter(
      ({ x, end, y }) => y >= top - 1 && y - top < 20 && end > left && x < right && x >= left - MAX_DISTANCE,
    )
    const lowest = line.reduce((least, { y }) => Math.min(least, y), Number.POSITIVE_INFINITY)
    return oneLine(line.filter(({ y }) => y - lowest < 2))
  }
  const line = placedTexts
    .filter(({ x, end, y, height }) => isOnLine(y, height) && (side === 'right' ? x >= right - 2 : end <= left + 2))
    .sort((a, b) => (side === 'right' ? a.x - b.x : b.end - a.end))
  const words: typeof line = []
  for (const word of line) {
    const distance = side === 'right' ? word.x - edge : edge - word.end
    if (distance > (words.length === 0 ? MAX_DISTANCE : WORD_DISTANCE)) break
    words.push(word)
    edge = side === 'right' ? word.end : word.x
  }
  return oneLine(side === 'right' ? words : words.reverse())
}

const oneLine = (words: { str: string }[]) =>
  words
    .map(({ str }) => str)
    .join(' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
