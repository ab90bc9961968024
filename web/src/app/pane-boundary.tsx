import { Component, lazy, type ReactNode, Suspense } from "react";
import { dropHeldKeys } from "@/keys/held";

const PaneFailed = lazy(() =>
  import("./pane-failed").then(
    (m) => ({ default: m.PaneFailed }),
    // Not even the error message can be loaded.
    () => ({ default: ({ error }: { error: Error }) => <pre role="alert">{error.message}</pre> }),
  ),
);

interface Props {
  children: ReactNode;
  /** Identifies the content: a new key renders it again after a failure. */
  of?: string;
  /** The class of the pane that it replaces in the frame. */
  pane?: string;
  /** Closes what is inside, where that is an overlay. */
  onClose?: () => void;
}

interface State {
  error: Error | null;
}

/** A part that crashes leaves the others working, and can be loaded again. */
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
