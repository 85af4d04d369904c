import {
  cloneElement,
  type ReactElement,
  type ReactNode,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'

const HOVER_DELAY_MS = 400
const EDGE_PX = 8

/**
 * Short text beside its trigger on hover and keyboard focus; it can be hovered, and Escape hides it.
 *
 * It's rendered in the browser's top layer, so that no scroll container clips it and it works inside dialogs. Touch
 * opens it only with `opensOnTap`, for triggers without another action; otherwise the text must be available elsewhere, too.
 */
export function Tooltip({ text, side = 'top', describes = true, opensOnTap = false, children }: TooltipProps) {
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

  useLayoutEffect(() => {
    const trigger = wrapper.current?.firstElementChild
    if (!isOpen || !trigger || !bubble.current) return
    const element = bubble.current
    const place = () => placeBeside(element, trigger.getBoundingClientRect(), side)
    element.showPopover()
    place()
    // a dialog that's still sliding in moves its trigger
    for (const animation of document.getAnimations?.() ?? []) {
      const { effect } = animation
      if (effect instanceof KeyframeEffect && effect.target?.contains(trigger))
        void animation.finished.then(place, place)
    }
  }, [isOpen, side])

  useEffect(() => {
    if (!isOpen) return
    const hideOnEscape = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return
      event.stopPropagation()
      setIsOpen(false)
    }
    const hideOutside = (event: Event) => {
      if (!wrapper.current?.contains(event.target as Node)) setIsOpen(false)
    }
    const hideOnScroll = () => setIsOpen(false)
    document.addEventListener('keydown', hideOnEscape, true)
    document.addEventListener('pointerdown', hideOutside, true)
    document.addEventListener('scroll', hideOnScroll, true)
    return () => {
      document.removeEventListener('keydown', hideOnEscape, true)
      document.removeEventListener('pointerdown', hideOutside, true)
      document.removeEventListener('scroll', hideOnScroll, true)
    }
  }, [isOpen])

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: only observes its trigger, which is the control
    // biome-ignore lint/a11y/useKeyWithClickEvents: keyboard focus shows it
    <span
      ref={wrapper}
      className="contents"
      onPointerEnter={(event) => event.pointerType !== 'touch' && showAfter(HOVER_DELAY_MS)}
      onPointerLeave={(event) => event.pointerType !== 'touch' && hide()}
      onPointerDown={() => !opensOnTap && hide()}
      onClick={() => opensOnTap && showAfter(0)}
      onFocus={(event) => event.target.matches(':focus-visible') && showAfter(0)}
      onBlur={hide}
    >
      {describes && isOpen ? cloneElement(children, { 'aria-describedby': id }) : children}
      {isOpen && (
        <span
          ref={bubble}
          id={id}
          role="tooltip"
          popover="manual"
          className="fixed inset-auto m-0 w-max max-w-72 border-0 bg-transparent p-1.5"
        >
          <span className="block animate-fade-in rounded-control border border-border-float bg-surface-overlay px-2.5 py-1.5 text-left text-12 font-normal text-pretty whitespace-normal text-text shadow-float">
            {text}
          </span>
        </span>
      )}
    </span>
  )
}

/** Positions the bubble above or below the trigger, flipped if there's no space, within the window. */
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
  opensOnTap?: boolean
  children: ReactElement<{ 'aria-describedby'?: string }>
}
