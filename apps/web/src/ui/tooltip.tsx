import { cloneElement, type ReactElement, type ReactNode, useEffect, useId, useRef, useState } from 'react'

const HOVER_DELAY_MS = 400
const EDGE_PX = 8

/**
 * A short text beside its trigger on hover and keyboard focus; Escape hides it and it can be pointed at.
 *
 * It is drawn in the browser's top layer, so no scrolling container cuts it and it works inside dialogs. On touch it
 * does not appear: nothing may be said only here.
 */
export function Tooltip({ text, side = 'top', describes = true, children }: TooltipProps) {
  const id = useId()
  const [isOpen, setIsOpen] = useState(false)
  const wrapper = useRef<HTMLSpanElement>(null)
  const bubble = useRef<HTMLSpanElement>(null)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)

  const showAfter = (delayMs: number) => {
    clearTimeout(timer.current)
    timer.current = setTimeout(() => setIsOpen(true), delayMs)
  }
  const hide = () => {
    clearTimeout(timer.current)
    setIsOpen(false)
  }

  useEffect(() => () => clearTimeout(timer.current), [])

  useEffect(() => {
    const trigger = wrapper.current?.firstElementChild
    if (!isOpen || !trigger || !bubble.current) return
    const element = bubble.current
    element.showPopover()
    placeBeside(element, trigger.getBoundingClientRect(), side)
    const hideOnEscape = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return
      event.stopPropagation()
      setIsOpen(false)
    }
    const hideOnScroll = () => setIsOpen(false)
    document.addEventListener('keydown', hideOnEscape, true)
    document.addEventListener('scroll', hideOnScroll, true)
    return () => {
      document.removeEventListener('keydown', hideOnEscape, true)
      document.removeEventListener('scroll', hideOnScroll, true)
      if (element.isConnected) element.hidePopover()
    }
  }, [isOpen, side])

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: only watches its trigger, which is the control
    <span
      ref={wrapper}
      className="contents"
      onPointerEnter={(event) => event.pointerType !== 'touch' && showAfter(HOVER_DELAY_MS)}
      onPointerLeave={hide}
      onPointerDown={hide}
      onFocus={(event) => event.target.matches(':focus-visible') && showAfter(0)}
      onBlur={hide}
    >
      {cloneElement(children, describes ? { 'aria-describedby': id } : {})}
      <span
        ref={bubble}
        id={id}
        role="tooltip"
        popover="manual"
        className="pointer-events-auto fixed inset-auto m-0 max-w-72 bg-transparent p-1.5"
      >
        <span className="block animate-fade-in rounded-control border border-border bg-surface-overlay px-2.5 py-1.5 text-12 font-normal whitespace-normal text-text shadow-float">
          {text}
        </span>
      </span>
    </span>
  )
}

/** Sets the bubble above or below the trigger, on the other side where there is no room, inside the window. */
function placeBeside(bubble: HTMLElement, trigger: DOMRect, side: 'top' | 'bottom'): void {
  const { width, height } = bubble.getBoundingClientRect()
  const fitsAbove = trigger.top - height >= 0
  const fitsBelow = trigger.bottom + height <= window.innerHeight
  const isAbove = side === 'top' ? fitsAbove || !fitsBelow : !fitsBelow && fitsAbove
  const centred = trigger.left + trigger.width / 2 - width / 2
  const left = Math.max(EDGE_PX, Math.min(centred, document.documentElement.clientWidth - width - EDGE_PX))
  bubble.style.left = `${left}px`
  bubble.style.top = `${isAbove ? trigger.top - height : trigger.bottom}px`
}

export type TooltipProps = {
  text: ReactNode
  side?: 'top' | 'bottom'
  /** False when the text only repeats the trigger's accessible name. */
  describes?: boolean
  children: ReactElement<{ 'aria-describedby'?: string }>
}
