/**
 * Lets React remove and insert nodes beside text that a browser's translation has wrapped or replaced, instead of failing,
 * which would take the whole page down (https://github.com/facebook/react/issues/11538). Called before the first render.
 */
export function tolerateMovedNodes(): void {
  const { removeChild, insertBefore } = Node.prototype
  Node.prototype.removeChild = function <Child extends Node>(this: Node, child: Child): Child {
    const moved = childWith(this, child)
    // A node that's somewhere else is a fault of ours, which the browser reports.
    if (moved || child?.parentNode !== null) removeChild.call(this, moved ?? child)
    return child
  }
  Node.prototype.insertBefore = function <Inserted extends Node>(
    this: Node,
    node: Inserted,
    reference: Node | null,
  ): Inserted {
    const moved = reference && childWith(this, reference)
    insertBefore.call(this, node, moved ?? (reference?.parentNode ? reference : null))
    return node
  }
}

/** The child of `parent` that is `node`, or an element of a translation around it; null when it's elsewhere. */
function childWith(parent: Node, node: Node): Node | null {
  let child: Node | null = node
  while (child && child.parentNode !== parent) {
    const wrapper: HTMLElement | null = child.parentElement
    child = wrapper?.tagName === 'FONT' ? wrapper : null
  }
  return child
}
