import { CircleAlert, CircleCheck, Info, TriangleAlert, X } from 'lucide-react'
import { Toast as RadixToast } from 'radix-ui'
import { buttonClass } from './button.tsx'
import { classNames } from './class-names.ts'
import { dismissToast, type Toast } from './show-toast.ts'

const marks = {
  info: { Icon: Info, tone: 'text-accent-text' },
  success: { Icon: CircleCheck, tone: 'text-success-text' },
  warning: { Icon: TriangleAlert, tone: 'text-warning-text' },
  danger: { Icon: CircleAlert, tone: 'text-danger-text' },
}

/** Content of `Toasts`, in a chunk loaded on first use; pointing at a toast keeps it open. */
export function ToastsPanel({ toasts, label, closeLabel }: ToastsProps & { toasts: readonly Toast[] }) {
  return (
    // Announcements begin with the region's name, without the hotkey.
    <RadixToast.Provider label={label.replace(/\s*\(\{hotkey\}\)/, '')} swipeDirection="right">
      {toasts.map((toast) => {
        const { Icon, tone } = marks[toast.tone]
        const actions = [...(toast.action ? [toast.action] : []), ...(toast.actions ?? [])]
        return (
          <RadixToast.Root
            key={toast.id}
            type={toast.tone === 'danger' ? 'foreground' : 'background'}
            duration={toast.durationMs}
            onOpenChange={(isOpen) => !isOpen && dismissToast(toast.id)}
            className={classNames(
              'flex w-full items-start gap-3 rounded-card border border-border-float bg-surface-overlay p-3.5 shadow-float',
              'animate-float-in data-[swipe=move]:translate-x-(--radix-toast-swipe-move-x) data-[swipe=cancel]:translate-x-0',
            )}
          >
            <Icon aria-hidden className={classNames('mt-px size-4.5 shrink-0', tone)} />
            <div className="min-w-0 flex-1">
              <RadixToast.Title className="text-14 font-medium">{toast.title}</RadixToast.Title>
              {toast.description && (
                <RadixToast.Description className="mt-0.5 text-13 text-muted">
                  {toast.description}
                </RadixToast.Description>
              )}
              {actions.length > 0 && (
                <div
                  className={classNames(
                    'mt-2.5 flex flex-wrap',
                    // three or more need the full width to fit in one row on a phone
                    actions.length > 2 ? '-mr-8 -ml-7.5 gap-1.5' : 'gap-2',
                  )}
                >
                  {actions.map(({ label: name, onSelect }) => (
                    <RadixToast.Action
                      key={name}
                      altText={name}
                      onClick={onSelect}
                      className={buttonClass({ size: 'sm' })}
                    >
                      {name}
                    </RadixToast.Action>
                  ))}
                </div>
              )}
            </div>
            <RadixToast.Close
              aria-label={closeLabel}
              className="relative -my-0.5 -mr-1 grid size-6 shrink-0 touch-area place-items-center rounded-control text-muted hover:text-text"
            >
              <X aria-hidden className="size-4" />
            </RadixToast.Close>
          </RadixToast.Root>
        )
      })}
      <RadixToast.Viewport
        label={label}
        className="fixed right-0 bottom-(--toasts-bottom,0px) z-50 flex w-full flex-col gap-2 p-4 pb-[max(1rem,env(safe-area-inset-bottom))] outline-none empty:hidden sm:max-w-96"
      />
    </RadixToast.Provider>
  )
}

export type ToastsProps = {
  /** Name of the region; `{hotkey}` in it is replaced with the key that moves the focus there (F8). */
  label: string
  closeLabel: string
}
