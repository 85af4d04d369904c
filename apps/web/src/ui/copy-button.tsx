import { Check, Copy } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { Button, type ButtonLook } from './button.tsx'
import { IconButton } from './icon-button.tsx'
import { VisuallyHidden } from './visually-hidden.tsx'

const SHOWN_MS = 2000

/** Button that copies a text and confirms that for two seconds. Without `withText`, it's only an icon. */
export function CopyButton({ text, label, copiedLabel, withText = false, size = 'sm', className }: CopyButtonProps) {
  const [isCopied, setIsCopied] = useState(false)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])

  const copy = async () => {
    if (!(await copyText(text))) return
    setIsCopied(true)
    clearTimeout(timer.current)
    timer.current = setTimeout(() => setIsCopied(false), SHOWN_MS)
  }

  const name = isCopied ? copiedLabel : label
  const icon = isCopied ? <Check aria-hidden className="text-success-text" /> : <Copy aria-hidden />
  return (
    <>
      {withText ? (
        <Button size={size} icon={icon} onClick={copy} className={className}>
          {name}
        </Button>
      ) : (
        <IconButton name={name} icon={icon} size={size} onClick={copy} className={className} />
      )}
      <span role="status" className="sr-only">
        {isCopied && <VisuallyHidden>{copiedLabel}</VisuallyHidden>}
      </span>
    </>
  )
}

/** Copies a text; falls back to `execCommand`, as browsers don't offer the clipboard API on plain HTTP. */
export async function copyText(text: string): Promise<boolean> {
  if (navigator.clipboard) {
    return navigator.clipboard.writeText(text).then(
      () => true,
      () => copyBySelection(text),
    )
  }
  return copyBySelection(text)
}

function copyBySelection(text: string): boolean {
  const focused = document.activeElement
  const area = document.createElement('textarea')
  area.value = text
  area.className = 'sr-only'
  // Inside an open dialog only its own content may take the focus.
  const host = focused?.closest('[role=dialog], [role=alertdialog]') ?? document.body
  host.append(area)
  area.select()
  const isCopied = document.execCommand('copy')
  area.remove()
  if (focused instanceof HTMLElement) focused.focus()
  return isCopied
}

export type CopyButtonProps = {
  text: string
  label: string
  copiedLabel: string
  withText?: boolean
  size?: NonNullable<ButtonLook['size']>
  className?: string
}
