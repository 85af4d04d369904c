/** Types of pdfkit as far as the tests use it; it has none of its own. */
declare module 'pdfkit' {
  import type { Readable } from 'node:stream'

  export interface DocumentOptions {
    size?: [number, number] | string
    margin?: number
    autoFirstPage?: boolean
    compress?: boolean
    userPassword?: string
    ownerPassword?: string
    info?: Record<string, string | Date>
  }

  export default class PDFDocument extends Readable {
    constructor(options?: DocumentOptions)
    addPage(options?: DocumentOptions): this
    rect(x: number, y: number, width: number, height: number): this
    fill(colour: string): this
    fillColor(colour: string): this
    font(name: string): this
    fontSize(size: number): this
    text(text: string, x: number, y: number, options?: { lineBreak?: boolean; link?: string; width?: number }): this
    image(source: Buffer, x: number, y: number, options?: { width?: number; height?: number }): this
    readonly _root: { data: Record<string, unknown> }
    initForm(): this
    formText(name: string, x: number, y: number, width: number, height: number, options?: { value?: string }): this
    formCombo(
      name: string,
      x: number,
      y: number,
      width: number,
      height: number,
      options?: { select: string[]; value?: string },
    ): this
    note(x: number, y: number, width: number, height: number, contents: string, options?: Record<string, unknown>): this
    file(source: Buffer | string, options: { name: string }): this
    end(): void
  }
}
