import { Component, lazy, type ReactNode, Suspense } from "react";
import { dropHeldKeys } from "@/keys/held";

const PaneFailed = lazy(() =>
  import("./pane-failed").then(
    (m) => ({ default: m.PaneFailed }),
    // Neither the part nor the words for it can be loaded: the browser's own reload helps in every language.
    () => ({ default: ({ error }: { error: Error }) => <pre role="alert">{error.message}</pre> }),
  ),
);

interface Props {
  children: ReactNode;
  /** What is shown: something else gets another chance. */
  of?: string;
  /** The class of what it stands for in the frame. */
  pane?: string;
  /** What opened above the page, and is to be closed. */
  onClose?: () => void;
}

interface State {
  error: Error | null;
}

/** A part that crashes leaves the others working, and offers itself anew. */
export class PaneBoundary extends Component<Props, State> {
  override state: State = { error: null };

  static getDerivedStateFromError(error: Error): State {
    return { error };
  }

  override componentDidCatch() {
    dropHeldKeys();
  }

  override componentDidUpdate(before: Props) {
    if (this.state.error && before.of !== this.props.of) this.setState({ error: null });
  }

  override render() {
    const { error } = this.state;
    const { children, pane, onClose } = this.props;
    if (!error) return children;
    const again = () => this.setState({ error: null });
    const closed = onClose && {
      onClose: () => {
        onClose();
        again();
      },
    };
    return (
      <Suspense fallback={null}>
        <PaneFailed error={error} pane={pane} onRetry={again} {...closed} />
      </Suspense>
    );
  }
}
